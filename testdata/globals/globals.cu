// Device variables of every kind, made into bitcode by ./make.sh.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
extern "C++" {

__device__ int counter = 7;
__device__ float table[256];
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ __attribute__((weak)) int weak = 11;
static __device__ int hidden = 100;
namespace outer {
namespace inner {
__device__ long long total = -5;
}
} // namespace outer
__device__ int never_used[1000];
__device__ int *where = &counter;
}

extern "C" __global__ void read_all(double *out) {
  out[0] = counter;
  out[1] = table[3];
  out[2] = factors[0] + 10 * factors[1] + 100 * factors[2] + 1000 * factors[3];
  out[3] = weak;
  out[4] = hidden;
  out[5] = (double)outer::inner::total;
  out[6] = *where;
}

extern "C" __global__ void write_all(int by) {
  counter += by;
  for (int i = 0; i < 256; i++)
    table[i] = i * by;
  weak -= by;
  hidden += by;
  outer::inner::total *= by;
}

extern "C" __global__ void count(void) { __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED); }
