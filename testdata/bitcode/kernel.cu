#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#ifdef __HIP__
#define threadIdx_x __builtin_amdgcn_workitem_id_x()
#define blockIdx_x __builtin_amdgcn_workgroup_id_x()
#define barrier __builtin_amdgcn_s_barrier
#else
#define threadIdx_x __nvvm_read_ptx_sreg_tid_x()
#define blockIdx_x __nvvm_read_ptx_sreg_ctaid_x()
#define barrier __syncthreads
#endif

// Each block of 64 is written backwards, scaled.
extern "C" __global__ void reverse(float *out, const float *in, float f) {
  __shared__ float tile[64];
  tile[threadIdx_x] = in[64 * blockIdx_x + threadIdx_x];
  barrier();
  out[64 * blockIdx_x + threadIdx_x] = f * tile[63 - threadIdx_x];
}
