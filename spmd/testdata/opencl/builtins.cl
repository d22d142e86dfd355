// Functions of OpenCL C on numbers and vectors; every item writes a row of
// results. Made into builtins.bc by
//   clang-19 -c -emit-llvm -O2 -Xclang -disable-llvm-passes -x cl -cl-std=CL2.0 -Xclang -finclude-default-header
//     -target x86_64-unknown-linux-gnu builtins.cl -o builtins.bc
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define P(v) *p++ = (v)

__kernel void integers(__global int *out, __global const int *in) {
  size_t g = get_global_id(0);
  __global int *p = out + g * 48;
  int a = in[g], b = in[g + 1], c = in[g + 2];
  uint x = a, y = b;
  char ca = a, cb = b;
  uchar ua = a, ub = b;
  P(hadd(a, b)); P(hadd(x, y)); P(rhadd(a, b)); P(rhadd(ua, ub));
  P(abs_diff(a, b)); P(abs_diff(x, y)); P(abs_diff(ca, cb));
  P(mad_hi(a, b, c)); P(mad_hi(x, y, x)); P(mad_sat(a, b, c)); P(mad_sat(x, y, x));
  P(upsample((short)a, (ushort)b)); P(upsample(ca, ub));
  P(select(a, b, c & 1)); P(bitselect(a, b, c));
  P(convert_uchar_sat(a)); P(convert_char_sat(x)); P(convert_short_sat(a)); P(convert_uint_sat(a)); P(convert_int_sat(x));
  P(convert_long(a) >> 33); P(convert_ulong(x) >> 33); P(convert_char(a)); P(convert_uint_sat((long)a * b));
  int2 v2 = (int2)(a, b);
  uchar4 u4 = (uchar4)(a, b, c, a >> 8);
  char4 s4 = as_char4(u4);
  short4 h4 = (short4)(a, b, c, a >> 8);
  int2 r2 = max(v2, v2.yx); P(r2.x); P(r2.y);
  r2 = clamp(v2, (int2)(-1000), (int2)(1000)); P(r2.x ^ r2.y);
  uchar4 r4 = add_sat(u4, u4.yzwx); P(as_int(r4));
  r4 = abs(s4); P(as_int(r4));
  r4 = popcount(u4) + clz(u4); P(as_int(r4));
  r4 = rotate(u4, (uchar4)(1, 2, 3, 4)); P(as_int(r4));
  short4 q4 = min(h4, h4.wzyx); P(q4.x); P(q4.y ^ q4.w);
  int4 w = (int4)(a, b, c, a ^ b);
  int4 m = mul_hi(w, w.wzyx) + select(w, w.yxwz, w > w.zwxy); P(m.x); P(m.y ^ m.z ^ m.w);
  P(any(w < 0)); P(all(w < 0)); P(any(u4 > (uchar4)(200)));
  char3 t3 = (char3)(a, b, c);
  short3 k3 = convert_short3(t3) * (short)3; P(k3.x); P(k3.y); P(k3.z);
  uchar4 z4 = convert_uchar4_sat(w); P(as_int(z4));
  int8 e8 = (int8)(w, w.wzyx + 1); e8 = max(e8, e8.s76543210); P(e8.s0 ^ e8.s1 ^ e8.s6); P(e8.s3 ^ e8.s4);
}

__kernel void floats(__global float *out, __global const float *in) {
  size_t g = get_global_id(0);
  __global float *p = out + g * 48;
  float a = in[g], b = in[g + 1];
  float whole; int e; float3 v = (float3)(a, b, a - b);
  P(step(a, b)); P(sign(a)); P(sign(-a)); P(smoothstep(0.0f, 1.0f, a)); P(maxmag(a, -b)); P(minmag(a, -b));
  P(modf(a * 10, &whole)); P(whole); P(modf(-a * 10, &whole)); P(whole); P(fract(a * -3, &whole)); P(whole);
  P(frexp(a, &e)); P(e); P(ilogb(a)); P(rootn(a, 3)); P(rootn(-a, 3)); P(isless(a, b)); P(isnotequal(a, b)); P(isnormal(a)); P(isunordered(a, nan(0u)));
  P(convert_int_rte(a * 10)); P(convert_int_rtp(-a * 10)); P(convert_int_rtn(-a * 10)); P(convert_int(a * 10)); P(convert_uchar_sat(a * 1000)); P(convert_float(convert_int(a * 100)));
  float3 n = normalize(v); P(n.x); P(n.z); P(dot(v, v.zxy)); P(length(v)); P(distance(v, v.yzx)); float3 k = cross(v, v.yzx); P(k.x); P(k.y); P(k.z);
  int4 c = isgreater((float4)(a), (float4)(a, b, 0, 1)); P(c.x + 2 * c.y + 4 * c.z + 8 * c.w);
  float4 s = shuffle((float4)(a, b, 1, 2), (uint4)(3, 0, 1, 5)); P(s.x + 10 * s.y); P(s.z + 10 * s.w);
  float4 m = fmin((float4)(a, b, 1, 0), 0.5f); P(m.x + m.y + m.z);
  float8 f8 = fabs((float8)(a, -a, b, -b, -1, -2, -3, -4)) + sqrt((float8)(4)); P(f8.s1); P(f8.s7);
  float2 f2 = fmax((float2)(a, b), (float2)(b, a)); P(f2.x + f2.y);
  vstore2(vload2(g, in) * 2, 0, p);
  p += 2;
  vstore_half(a, 0, (__global half *)p); float r = vload_half(0, (__global half *)p); P(r);
}
