// Arrays that are large, zeroed, initialised, of pointers, and aligned.
#include <stdint.h>
#include <stddef.h>
static int32_t zeroed[300000];
int64_t visible[70000];
static int64_t initialised[1000] = {[0] = 7, [1] = -3, [500] = 12, [999] = 41};
static const uint16_t table[4096] = {[1] = 9, [77] = 1234, [2048] = 777, [4095] = 65535};
static const int64_t *const pointers[] = {&initialised[500], &visible[69999], &initialised[1], &initialised[999]};
static char aligned[256] __attribute__((aligned(256)));
static struct node { struct node *next; int64_t value; } ring[3] = {{&ring[1], 2}, {&ring[2], 3}, {&ring[0], 5}};

int64_t kf_zeroed(int64_t x) {
  int64_t s = 0;
  for (int i = 0; i < 300000; i += 997) zeroed[i] += (int32_t)(x + i);
  for (int i = 0; i < 300000; i += 331) s = s * 3 + zeroed[i];
  return s;
}
int64_t kf_visible(int64_t x) {
  for (int i = 0; i < 70000; i += 1013) visible[i] = x * i;
  return visible[1013 * 69] + visible[1] + visible[1013 * 2];
}
int64_t kf_initialised(int64_t x) {
  int64_t s = initialised[0]++ + initialised[1] * x;
  for (int i = 2; i < 1000; i++) s += initialised[i] * i;
  return s;
}
int64_t kf_constants(int64_t x) { return table[x & 4095] + table[77] + table[2048 - (x & 1)] + table[4095]; }
int64_t kf_pointers(int64_t x) { return *pointers[x & 3] + *pointers[(x + 1) & 3]; }
int64_t kf_aligned(int64_t x) {
  for (int i = 0; i < 256; i++) aligned[i] = (char)(i * x);
  return (int64_t)((uintptr_t)aligned % 256) * 1000 + aligned[200] + aligned[3];
}
int64_t kf_ring(int64_t x) {
  struct node *n = ring;
  for (int64_t i = (x & 7) + 4; i > 0; i--) n->value += x % 13, n = n->next;
  return n->value + n->next->value * 100 + (n->next->next->next == n);
}
int64_t kf_stack_array(int64_t x) {
  int32_t big[4000];
  for (int i = 0; i < 4000; i++) big[i] = i ^ (int)x;
  int64_t s = 0;
  for (int i = 3999; i >= 0; i -= 7) s = s * 5 + big[i];
  return s;
}
