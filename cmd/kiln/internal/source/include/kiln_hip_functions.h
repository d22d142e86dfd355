// What HIP has on bits, on conversions and across a wave.
#pragma once
#define KILN_FUNCTION(T, name, ...) static __device__ __forceinline__ T name(__VA_ARGS__)
KILN_FUNCTION(int, __popc, unsigned x) { return __builtin_popcount(x); }
KILN_FUNCTION(int, __popcll, unsigned long long x) { return __builtin_popcountll(x); }
KILN_FUNCTION(int, __clz, int x) { return x ? __builtin_clz(x) : 32; }
KILN_FUNCTION(int, __clzll, long long x) { return x ? __builtin_clzll(x) : 64; }
KILN_FUNCTION(int, __ffs, int x) { return __builtin_ffs(x); }
KILN_FUNCTION(int, __ffs, unsigned x) { return __builtin_ffs(x); }
KILN_FUNCTION(int, __ffsll, long long x) { return __builtin_ffsll(x); }
KILN_FUNCTION(int, __ffsll, unsigned long long x) { return __builtin_ffsll(x); }
KILN_FUNCTION(unsigned, __brev, unsigned x) { return __builtin_bitreverse32(x); }
KILN_FUNCTION(unsigned long long, __brevll, unsigned long long x) { return __builtin_bitreverse64(x); }
KILN_FUNCTION(unsigned, __umulhi, unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
KILN_FUNCTION(int, __mulhi, int x, int y) { return (int)((long long)x * y >> 32); }
KILN_FUNCTION(unsigned long long, __umul64hi, unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
KILN_FUNCTION(long long, __mul64hi, long long x, long long y) { return (long long)((__int128)x * y >> 64); }
KILN_FUNCTION(int, __mul24, int x, int y) { return (int)((unsigned)((x << 8) >> 8) * (unsigned)((y << 8) >> 8)); }
KILN_FUNCTION(unsigned, __umul24, unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
KILN_FUNCTION(unsigned, __sad, int x, int y, unsigned z) { return z + (x > y ? (unsigned)x - y : (unsigned)y - x); }
KILN_FUNCTION(unsigned, __usad, unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
KILN_FUNCTION(int, __hadd, int x, int y) { return (x & y) + ((x ^ y) >> 1); }
KILN_FUNCTION(int, __rhadd, int x, int y) { return (x | y) - ((x ^ y) >> 1); }
KILN_FUNCTION(unsigned, __uhadd, unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
KILN_FUNCTION(unsigned, __urhadd, unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }
KILN_FUNCTION(unsigned, __byte_perm, unsigned x, unsigned y, unsigned s) {
  unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++)
    r |= (unsigned)(both >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return r;
}
KILN_FUNCTION(int, __float_as_int, float x) { return __builtin_bit_cast(int, x); }
KILN_FUNCTION(unsigned, __float_as_uint, float x) { return __builtin_bit_cast(unsigned, x); }
KILN_FUNCTION(float, __int_as_float, int x) { return __builtin_bit_cast(float, x); }
KILN_FUNCTION(float, __uint_as_float, unsigned x) { return __builtin_bit_cast(float, x); }
KILN_FUNCTION(long long, __double_as_longlong, double x) { return __builtin_bit_cast(long long, x); }
KILN_FUNCTION(double, __longlong_as_double, long long x) { return __builtin_bit_cast(double, x); }

#define KILN_ROUNDED(F, f, T, t)                                                                   \
  KILN_FUNCTION(T, __##F##2##t##_rn, F x) { return (T)__builtin_elementwise_roundeven(x); }        \
  KILN_FUNCTION(T, __##F##2##t##_rz, F x) { return (T)x; }                                         \
  KILN_FUNCTION(T, __##F##2##t##_ru, F x) { return (T)__builtin_elementwise_ceil(x); }             \
  KILN_FUNCTION(T, __##F##2##t##_rd, F x) { return (T)__builtin_elementwise_floor(x); }            \
  KILN_FUNCTION(F, __##t##2##F##_rn, T x) { return (F)x; }
KILN_ROUNDED(float, f, int, int)
KILN_ROUNDED(float, f, unsigned, uint)
KILN_ROUNDED(float, f, long long, ll)
KILN_ROUNDED(float, f, unsigned long long, ull)
KILN_ROUNDED(double, , int, int)
KILN_ROUNDED(double, , unsigned, uint)
KILN_ROUNDED(double, , long long, ll)
KILN_ROUNDED(double, , unsigned long long, ull)
#undef KILN_ROUNDED
KILN_FUNCTION(float, __double2float_rn, double x) { return (float)x; }

KILN_FUNCTION(unsigned, __lane_id) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
KILN_FUNCTION(unsigned long long, __ballot, int p) { return __builtin_amdgcn_ballot_w64(p != 0); }
KILN_FUNCTION(unsigned long long, __activemask) { return __builtin_amdgcn_ballot_w64(true); }
KILN_FUNCTION(int, __any, int p) { return __ballot(p) != 0; }
KILN_FUNCTION(int, __all, int p) { return __ballot(p == 0) == 0; }
// A lane's value, from the lane of that number in its part of the wave.
template <typename T> KILN_FUNCTION(T, kiln_read_lane, T v, int lane) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes go across a wave");
  int words[sizeof(T) / 4];
  __builtin_memcpy(words, &v, sizeof v);
  for (unsigned i = 0; i < sizeof(T) / 4; i++)
    words[i] = __builtin_amdgcn_ds_bpermute(lane << 2, words[i]);
  __builtin_memcpy(&v, words, sizeof v);
  return v;
}
template <typename T> KILN_FUNCTION(T, __shfl, T v, int lane, int width = warpSize) {
  return kiln_read_lane(v, (int)(__lane_id() & ~(width - 1)) | (lane & (width - 1)));
}
template <typename T> KILN_FUNCTION(T, __shfl_up, T v, unsigned by, int width = warpSize) {
  int self = __lane_id(), lane = self - (int)by;
  return kiln_read_lane(v, lane < (self & ~(width - 1)) ? self : lane);
}
template <typename T> KILN_FUNCTION(T, __shfl_down, T v, unsigned by, int width = warpSize) {
  int self = __lane_id();
  return kiln_read_lane(v, (self & (width - 1)) + (int)by >= width ? self : self + (int)by);
}
template <typename T> KILN_FUNCTION(T, __shfl_xor, T v, int mask, int width = warpSize) {
  int self = __lane_id(), lane = self ^ mask;
  return kiln_read_lane(v, lane >= ((self + width) & ~(width - 1)) ? self : lane);
}
KILN_FUNCTION(long long, clock64) { return (long long)__builtin_readcyclecounter(); }
KILN_FUNCTION(long long, wall_clock64) { return (long long)__builtin_readcyclecounter(); }
KILN_FUNCTION(void, __threadfence_system) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
#undef KILN_FUNCTION
