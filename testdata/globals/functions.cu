// Device variables with addresses of functions, made into bitcode by ./make.sh.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
__device__ int plain = 3;

// Variables that start with functions: one that can be called by itself, and one
// that asks who calls it.
static __device__ int twice(int x) { return 2 * x; }
static __device__ int who(int x) { return x + __nvvm_read_ptx_sreg_tid_x(); }
__device__ int (*operation)(int) = twice;
__device__ int (*unusable)(int) = who;

extern "C" __global__ void operate(int *out, int x) { *out = operation(x) + plain; }
extern "C" __global__ void use_unusable(int *out, int x) { *out = unusable(x); }
