// Vector constants, shuffles and loops that compilers vectorise.
#include <stdint.h>
typedef int32_t v8i __attribute__((vector_size(32)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef uint8_t v16b __attribute__((vector_size(16)));

int64_t kf_vector_constant(int64_t x) {
  v8i a = {1, -2, 3, -4, 5, -6, 7, -8}, b = {11, 22, 33, 44, 55, 66, 77, 88};
  v8i c = a * (int32_t)x + b;
  int64_t sum = 0;
  for (int i = 0; i < 8; i++) sum = sum * 7 + c[i];
  return sum;
}
int64_t kf_shuffle(int64_t x) {
  v4f a = {1.5f, 2.5f, 3.5f, 4.5f}, b = a * (float)(x % 100);
  v4f c = __builtin_shufflevector(a, b, 6, 1, 4, 3);
  return (int64_t)((c[0] + c[1] * 10 + c[2] * 100 + c[3] * 1000) * 4);
}
int64_t kf_bytes(int64_t x) {
  v16b a = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, b = a ^ (uint8_t)x;
  v16b less = (v16b)(b < a);
  b = (b & less) | ((a + 200) & ~less);
  int64_t sum = 0;
  for (int i = 0; i < 16; i++) sum += b[i] << (i & 3);
  return sum;
}
int64_t kf_doubles(int64_t x) {
  v4d a = {0.25, 0.5, 0.75, 1.25}, s = {0, 0, 0, 0};
  for (int i = 0; i < 10; i++) s = s * 0.5 + a * (double)(x % 64 + i);
  return (int64_t)((s[0] + s[1] + s[2] + s[3]) * 1024);
}
int64_t kf_sum_loop(int64_t x) {
  int32_t v[100];
  for (int i = 0; i < 100; i++) v[i] = (int32_t)(i * x);
  int32_t s = 0;
  for (int i = 0; i < 100; i++) s += v[i] ^ i;
  return s;
}
int64_t kf_saxpy(int64_t x) {
  static const float a[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  float y[16];
  for (int i = 0; i < 16; i++) y[i] = 0.5f * (float)i;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 16; i++) y[i] += (float)(x % 32) * a[i];
  int64_t s = 0;
  for (int i = 0; i < 16; i++) s += (int64_t)(y[i] * 2);
  return s;
}
int64_t kf_dot(int64_t x) {
  double a[33], b[33], s = 0;
  for (int i = 0; i < 33; i++) a[i] = (double)i / 4, b[i] = (double)(x % 7 - i);
  for (int i = 0; i < 33; i++) s += a[i] * b[i];
  return (int64_t)(s * 4);
}
