// The few names that CUDA's headers would bring, so that clang needs none.
#define GLOBAL __attribute__((global))
#define SHARED static __attribute__((shared))
#define BOUNDS(n) __attribute__((launch_bounds(n)))
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define GROUP_SIZE __nvvm_read_ptx_sreg_ntid_x()
#define ITEM __nvvm_read_ptx_sreg_tid_x()
#define BARRIER() __syncthreads()
struct dim3 { unsigned x, y, z; };
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, struct CUstream_st *);
extern "C" int cudaConfigureCall(dim3, dim3, unsigned long, struct CUstream_st *);
#include "kernels.inc"
