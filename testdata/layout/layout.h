// The parameters of a kernel, as members of a C struct.
#pragma once
#ifndef __cplusplus
#include <stdbool.h>
#endif
typedef float float4v __attribute__((vector_size(16)));
struct inner {
  int a, b;
};
struct plain {
  char c;
  struct inner i; // at offset 4
};
struct wide {
  int v;
} __attribute__((aligned(32)));
struct big {
  double d[5];
  char last;
};
struct all {
  signed char a;
  long long b;
  float c;
  float4v d;
  struct plain e;
  short f;
  struct wide g;
  struct big h;
  bool i;
};
