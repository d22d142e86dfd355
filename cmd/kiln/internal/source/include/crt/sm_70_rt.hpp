// Asked for by clang's intrinsics: matches across a warp.
#pragma once
#define KILN_MATCH(T, bits, U)                                                                     \
  static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, T v) {                \
    return __match##bits##_any_sync(mask, (U)v);                                                   \
  }                                                                                                \
  static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, T v, int *all) {      \
    return __match##bits##_all_sync(mask, (U)v, all);                                              \
  }
KILN_MATCH(int, 32, unsigned)
KILN_MATCH(unsigned, 32, unsigned)
KILN_MATCH(long long, 64, unsigned long long)
KILN_MATCH(unsigned long long, 64, unsigned long long)
#undef KILN_MATCH
