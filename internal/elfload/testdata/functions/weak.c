// Weak definitions and references, hidden and tentative ones, the C library.
#include <stdint.h>
#include <stddef.h>
__attribute__((weak)) int64_t weak_value = 17;
__attribute__((weak, noinline)) int64_t weak_function(int64_t x) { return x * 2 + 1; }
extern __attribute__((weak)) int64_t nowhere_value;
extern __attribute__((weak)) int64_t nowhere_function(int64_t);
int64_t tentative, tentative_array[40];
__attribute__((visibility("hidden"))) int64_t hidden_value = 23;
__attribute__((visibility("protected"))) int64_t protected_value = 29;
int64_t open_value = 31;
__attribute__((noinline)) int64_t replaceable(int64_t x) { return x - open_value; }
void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t), snprintf(char *, size_t, const char *, ...);
size_t strlen(const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *malloc(size_t);
void free(void *);

int64_t kf_weak_value(int64_t x) { return weak_value++ * x; }
int64_t kf_weak_function(int64_t x) { return weak_function(x) + weak_function(-x); }
int64_t kf_weak_absent(int64_t x) { return (nowhere_function ? nowhere_function(x) : x + 4) + (&nowhere_value ? 1000 : 0); }
int64_t kf_tentative(int64_t x) { tentative += x; tentative_array[x & 31]++; return tentative + tentative_array[3]; }
int64_t kf_hidden(int64_t x) { return hidden_value++ + protected_value-- * x; }
int64_t kf_interposable(int64_t x) { open_value++; return replaceable(x * 3); }
int64_t kf_memory(int64_t x) {
  char a[200], b[200];
  memset(a, (int)x, sizeof a);
  memcpy(b, a, (size_t)(x & 127) + 1);
  a[(x & 127)] ^= 1;
  return memcmp(a, b, (size_t)(x & 127) + 1) > 0 ? a[0] : b[0] + 1000;
}
int64_t kf_print(int64_t x) {
  char s[100];
  int n = snprintf(s, sizeof s, "%ld|%5.2f|%s|%x", (long)x, (double)x / 8, x & 1 ? "odd" : "even", (unsigned)x);
  int64_t h = n;
  for (size_t i = 0; i < strlen(s); i++) h = h * 33 + s[i];
  return h;
}
static int compare(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }
int64_t kf_sort(int64_t x) {
  int32_t *v = malloc(64 * sizeof *v), h = 0;
  for (int i = 0; i < 64; i++) v[i] = (int32_t)((uint64_t)(x + i) * 2654435761u % 10007);
  qsort(v, 64, sizeof *v, compare);
  for (int i = 0; i < 64; i++) h = (int32_t)((uint32_t)h * 31u + (uint32_t)v[i]);
  free(v);
  return h;
}
