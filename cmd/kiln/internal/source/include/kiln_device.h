// What CUDA and HIP sources expect to find without including anything: the
// attributes and the short vectors. Included before every such source.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

typedef __SIZE_TYPE__ size_t;

// What clang's device math uses of the C library's headers.
#ifndef INT_MAX
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#endif

#define KILN_VECTOR(T, name, align2, align4)                                                       \
  struct name##1 { T x; };                                                                         \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                                     \
  struct name##3 { T x, y, z; };                                                                   \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                               \
  __attribute__((device, host)) static inline name##1 make_##name##1(T x) { return {x}; }          \
  __attribute__((device, host)) static inline name##2 make_##name##2(T x, T y) { return {x, y}; }  \
  __attribute__((device, host)) static inline name##3 make_##name##3(T x, T y, T z) {              \
    return {x, y, z};                                                                              \
  }                                                                                                \
  __attribute__((device, host)) static inline name##4 make_##name##4(T x, T y, T z, T w) {         \
    return {x, y, z, w};                                                                           \
  }
KILN_VECTOR(signed char, char, 2, 4)
KILN_VECTOR(unsigned char, uchar, 2, 4)
KILN_VECTOR(short, short, 4, 8)
KILN_VECTOR(unsigned short, ushort, 4, 8)
KILN_VECTOR(int, int, 8, 16)
KILN_VECTOR(unsigned, uint, 8, 16)
KILN_VECTOR(long long, longlong, 16, 16)
KILN_VECTOR(unsigned long long, ulonglong, 16, 16)
KILN_VECTOR(float, float, 8, 16)
KILN_VECTOR(double, double, 16, 16)
#undef KILN_VECTOR

struct dim3 {
  unsigned x, y, z;
  __attribute__((device, host)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __attribute__((device, host)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __attribute__((device, host)) constexpr operator uint3() const { return {x, y, z}; }
};

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
