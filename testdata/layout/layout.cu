// A kernel that stores each of its parameters where C has it.
#define __global__ __attribute__((global))
#include "layout.h"
extern "C" __global__ void store(struct all *out, signed char a, long long b, float c, float4v d, plain e, short f, wide g, big h, bool i) {
  out->a = a, out->b = b, out->c = c, out->d = d, out->e = e, out->f = f, out->g = g, out->h = h, out->i = i;
}
