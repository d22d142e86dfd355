// Stands in for ROCm's headers when a source holds kernels only. Math comes
// from the headers that clang itself brings.
#pragma once
#include "kiln_device.h"
#define __HIPCC_RTC__ 1
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
#include "__clang_hip_libdevice_declares.h"
#include "__clang_hip_math.h"

KILN_IDS(threadIdx, __builtin_amdgcn_workitem_id)
KILN_IDS(blockIdx, __builtin_amdgcn_workgroup_id)
KILN_IDS(blockDim, __builtin_amdgcn_workgroup_size)
KILN_READ(groups, x, __builtin_amdgcn_grid_size_x() / blockDim.x)
KILN_READ(groups, y, __builtin_amdgcn_grid_size_y() / blockDim.y)
KILN_READ(groups, z, __builtin_amdgcn_grid_size_z() / blockDim.z)
KILN_IDS(gridDim, kiln_groups)
static constexpr int warpSize = 64;

KILN_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
KILN_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
KILN_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
template <typename T> KILN_DEVICE T __ldg(const T *p) { return *p; }

#include "kiln_atomics.h"
#include "kiln_funnel.h"
#include "kiln_hip_functions.h"
#undef KILN_DEVICE

#define KILN_RT(name) hip##name
#include "kiln_host.h"
#undef KILN_RT
#define HIP_SYMBOL(symbol) symbol
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
int hipConfigureCall(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
