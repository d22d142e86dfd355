// The few names that HIP's headers would bring, so that clang needs none.
#define GLOBAL __attribute__((global))
#define SHARED static __attribute__((shared))
#define BOUNDS(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GROUP_SIZE __builtin_amdgcn_workgroup_size_x()
#define ITEM __builtin_amdgcn_workitem_id_x()
#define BARRIER() __builtin_amdgcn_s_barrier()
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, struct ihipStream_t *);
#include "kernels.inc"
