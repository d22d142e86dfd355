// Switches that become tables of jumps, of values and of strings; computed goto.
#include <stdint.h>
__attribute__((noinline)) static int64_t mix(int64_t a, int64_t b) { return a * 31 + b; }

int64_t kf_jump_table(int64_t x) {
  switch (x & 15) {
  case 0: return mix(x, 1);
  case 1: return mix(x, 2) ^ 7;
  case 2: return mix(3, x);
  case 3: return x * x;
  case 4: return mix(mix(x, 4), 4);
  case 5: return -x;
  case 6: return x << 3;
  case 7: return mix(x, x);
  case 8: return x / 3;
  case 9: return mix(9, 9) - x;
  case 10: return ~x;
  case 12: return x % 11;
  default: return 99;
  }
}
int64_t kf_value_table(int64_t x) {
  switch (x & 7) {
  case 0: return 5; case 1: return -91; case 2: return 1 << 20; case 3: return 17;
  case 4: return 3; case 5: return 8; case 6: return -2; default: return 0x123456789;
  }
}
int64_t kf_string_table(int64_t x) {
  const char *s;
  switch ((uint64_t)x % 6) {
  case 0: s = "zero"; break; case 1: s = "one"; break; case 2: s = "two"; break;
  case 3: s = "three"; break; case 4: s = "four"; break; default: s = "five and more"; break;
  }
  int64_t h = 0;
  while (*s) h = h * 131 + *s++;
  return h;
}
int64_t kf_sparse(int64_t x) {
  switch (x) { case -5: return 1; case 0: return 2; case 7: return 3; case 100: return 4; case 12345: return 5; case 1 << 30: return 6; }
  return 0;
}
int64_t kf_computed_goto(int64_t x) {
  static const void *const step[] = {&&increment, &&twice, &&negate, &&done};
  static const unsigned char program[] = {0, 1, 1, 2, 0, 3};
  int pc = 0;
  goto *step[program[pc++]];
increment: x++; goto *step[program[pc++]];
twice: x *= 2; goto *step[program[pc++]];
negate: x = -x; goto *step[program[pc++]];
done: return x;
}
static int64_t add(int64_t x) { return x + 5; }
static int64_t square(int64_t x) { return x * x; }
static int64_t half(int64_t x) { return x / 2; }
static int64_t (*const operations[])(int64_t) = {add, square, half, kf_jump_table};
int64_t kf_function_table(int64_t x) {
  int64_t sum = 0;
  for (int i = 0; i < 4; i++) sum = sum * 3 + operations[(i + x) & 3](x);
  return sum;
}
