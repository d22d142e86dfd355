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

#define KILN_DEVICE static __device__ __forceinline__

// threadIdx, blockIdx, blockDim and gridDim: objects without content whose
// members are read from the hardware where they are used.
template <unsigned (*X)(), unsigned (*Y)(), unsigned (*Z)()> struct kiln_ids {
  template <unsigned (*Read)()> struct member {
    __device__ __forceinline__ operator unsigned() const { return Read(); }
  };
  member<X> x;
  member<Y> y;
  member<Z> z;
  __device__ __forceinline__ operator uint3() const { return {x, y, z}; }
  __device__ __forceinline__ operator dim3() const { return {x, y, z}; }
};
#define KILN_READ(name, dim, value)                                                                \
  KILN_DEVICE unsigned kiln_##name##_##dim() { return value; }
#define KILN_IDS(name, prefix)                                                                     \
  KILN_READ(name, x, prefix##_x())                                                                 \
  KILN_READ(name, y, prefix##_y())                                                                 \
  KILN_READ(name, z, prefix##_z())                                                                 \
  static constexpr __device__ kiln_ids<kiln_##name##_x, kiln_##name##_y, kiln_##name##_z> name{};
KILN_IDS(threadIdx, __builtin_amdgcn_workitem_id)
KILN_IDS(blockIdx, __builtin_amdgcn_workgroup_id)
KILN_IDS(blockDim, __builtin_amdgcn_workgroup_size)
KILN_READ(groups, x, __builtin_amdgcn_grid_size_x() / blockDim.x)
KILN_READ(groups, y, __builtin_amdgcn_grid_size_y() / blockDim.y)
KILN_READ(groups, z, __builtin_amdgcn_grid_size_z() / blockDim.z)
KILN_IDS(gridDim, kiln_groups)
#undef KILN_READ
#undef KILN_IDS
static constexpr int warpSize = 64;

KILN_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
KILN_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
KILN_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
template <typename T> KILN_DEVICE T __ldg(const T *p) { return *p; }

#define KILN_ATOMIC(T, name, operation)                                                            \
  KILN_DEVICE T name(T *p, T v) { return operation(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#define KILN_ATOMICS(T)                                                                            \
  KILN_ATOMIC(T, atomicAdd, __hip_atomic_fetch_add)                                                \
  KILN_ATOMIC(T, atomicMin, __hip_atomic_fetch_min)                                                \
  KILN_ATOMIC(T, atomicMax, __hip_atomic_fetch_max)                                                \
  KILN_ATOMIC(T, atomicExch, __hip_atomic_exchange)
KILN_ATOMICS(int)
KILN_ATOMICS(unsigned)
KILN_ATOMICS(unsigned long long)
KILN_ATOMIC(float, atomicAdd, __hip_atomic_fetch_add)
KILN_ATOMIC(double, atomicAdd, __hip_atomic_fetch_add)
KILN_ATOMIC(int, atomicAnd, __hip_atomic_fetch_and)
KILN_ATOMIC(int, atomicOr, __hip_atomic_fetch_or)
KILN_ATOMIC(int, atomicXor, __hip_atomic_fetch_xor)
KILN_DEVICE int atomicCAS(int *p, int expected, int v) {
  __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
#undef KILN_ATOMICS
#undef KILN_ATOMIC
#undef KILN_DEVICE
