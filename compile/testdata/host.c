// Functions of the host's C ABI, one for each shape of parameter and body that
// the compiler must take. Made into bitcode by ./make.sh.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

double polynomial(const double *c, int32_t degree, double x) {
  double sum = c[degree];
  for (int32_t i = degree - 1; i >= 0; i--)
    sum = sum * x + c[i];
  return sum;
}

void polynomial_all(float *y, const float *x, int64_t n, int32_t degree, float c0, float c1, float c2, float c3) {
  float c[4] = {c0, c1, c2, c3};
  for (int64_t i = 0; i < n; i++) {
    float sum = 0;
    for (int32_t k = degree; k >= 0; k--)
      sum = sum * x[i] + c[k & 3];
    y[i] = sum;
  }
}

void saxpy(float *restrict y, const float *restrict x, float a, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    y[i] += a * x[i];
}

int64_t mixed(int8_t a, int16_t b, int32_t c, int64_t d, uint8_t e, bool f, float g, double h) {
  return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + (int64_t)(g * 1000000) + (int64_t)(h * 10000000);
}

bool negate(bool b) { return !b; }

struct box {
  double v[4];
  int32_t n;
  char tag;
};

double box_sum(int32_t k, struct box b) {
  double s = b.tag;
  for (int32_t i = 0; i < b.n; i++)
    s += k * b.v[i & 3];
  b.v[0] = s; // the callee's own copy
  return b.v[0];
}

struct pair {
  int64_t quotient;
  double rest;
};

struct pair divide(double a, double b) {
  struct pair p = {(int64_t)(a / b), 0};
  p.rest = a - p.quotient * b;
  return p;
}

typedef float float4 __attribute__((vector_size(16)));
float4 scale(float4 v, float s) { return v * s; }

__int128 wide(__int128 a, __int128 b) { return a * b + 1; }
_Float16 half_sum(_Float16 a, _Float16 b) { return a + b; }

int64_t fibonacci(int32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static const int32_t table[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static __attribute__((noinline)) int32_t look_up(int32_t i) { return table[i & 7]; }
int32_t prime(int32_t i) { return look_up(i); }

int32_t counter = 40;
int32_t count(void) { return ++counter; }

double waves(double x) { return sin(x) + exp(-x); }

int32_t frame(int32_t n) {
  volatile int32_t big[16384];
  for (int32_t i = 0; i < 16384; i++)
    big[i] = n;
  return big[n & 16383];
}

int32_t declared(int32_t);
int32_t calls_declared(int32_t n) { return declared(n) + 1; }

_Thread_local int32_t local;
int32_t thread_local_sum(int32_t n) { return local += n; }

int32_t variadic(int32_t n, ...) { return n; }

__attribute__((noinline)) static int32_t other(int32_t n) { return n * 3; }
int32_t (*chosen)(int32_t) = other;
int32_t through_pointer(int32_t n) { return chosen(n); }

void nothing(void) {}
