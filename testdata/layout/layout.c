// Prints for each parameter of the kernel its offset in the parameter block, its
// offset in struct all, its size and its alignment; then the sizes of both and
// the alignment of the block.
#include <stddef.h>
#include <stdio.h>
#include "layout.h"
// The kernel is given its output before the rest.
struct flat {
  void *out;
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
#define SHOW(m) printf("%zu %zu %zu %zu\n", offsetof(struct flat, m), offsetof(struct all, m), sizeof(((struct flat *)0)->m), _Alignof(__typeof__(((struct flat *)0)->m)))
int main(void) {
  SHOW(a);
  SHOW(b);
  SHOW(c);
  SHOW(d);
  SHOW(e);
  SHOW(f);
  SHOW(g);
  SHOW(h);
  SHOW(i);
  printf("%zu %zu 0 %zu\n", sizeof(struct flat), sizeof(struct all), _Alignof(struct flat));
}
