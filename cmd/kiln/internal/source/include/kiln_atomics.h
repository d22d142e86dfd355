// The atomic operations that CUDA and HIP share, by clang's own.
#pragma once
#define KILN_ATOMIC(T, name, operation)                                                            \
  static __device__ __forceinline__ T name(T *p, T v) { return operation(p, v, __ATOMIC_RELAXED); }
#define KILN_ATOMICS(T)                                                                            \
  KILN_ATOMIC(T, atomicAdd, __atomic_fetch_add)                                                    \
  KILN_ATOMIC(T, atomicSub, __atomic_fetch_sub)                                                    \
  KILN_ATOMIC(T, atomicMin, __atomic_fetch_min)                                                    \
  KILN_ATOMIC(T, atomicMax, __atomic_fetch_max)                                                    \
  KILN_ATOMIC(T, atomicAnd, __atomic_fetch_and)                                                    \
  KILN_ATOMIC(T, atomicOr, __atomic_fetch_or)                                                      \
  KILN_ATOMIC(T, atomicXor, __atomic_fetch_xor)                                                    \
  KILN_ATOMIC(T, atomicExch, __atomic_exchange_n)                                                  \
  static __device__ __forceinline__ T atomicCAS(T *p, T expected, T v) {                           \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);       \
    return expected;                                                                               \
  }
KILN_ATOMICS(int)
KILN_ATOMICS(unsigned)
KILN_ATOMICS(long long)
KILN_ATOMICS(unsigned long long)
KILN_ATOMIC(float, atomicAdd, __atomic_fetch_add)
KILN_ATOMIC(double, atomicAdd, __atomic_fetch_add)
KILN_ATOMIC(float, atomicSub, __atomic_fetch_sub)
static __device__ __forceinline__ float atomicExch(float *p, float v) {
  return __builtin_bit_cast(float, atomicExch((unsigned *)p, __builtin_bit_cast(unsigned, v)));
}
static __device__ __forceinline__ unsigned atomicInc(unsigned *p, unsigned limit) {
  unsigned old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, old >= limit ? 0 : old + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
static __device__ __forceinline__ unsigned atomicDec(unsigned *p, unsigned limit) {
  unsigned old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, old == 0 || old > limit ? limit : old - 1, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
#undef KILN_ATOMICS
#undef KILN_ATOMIC
