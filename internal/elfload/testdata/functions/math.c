// Arithmetic that calls libm, libgcc and the C library.
#include <stdint.h>
double sin(double), cos(double), exp(double), log(double), pow(double, double), fmod(double, double), cbrt(double), ldexp(double, int), frexp(double, int *);
float sqrtf(float), floorf(float);

static int64_t scaled(double x) { return (int64_t)(x * 1e6); }

int64_t kf_sine(int64_t x) { return scaled(sin((double)x * 0.01)); }
int64_t kf_sincos(int64_t x) { double a = (double)x; return scaled(sin(a) * cos(a)); }
int64_t kf_exponential(int64_t x) { return scaled(exp((double)(x % 10))); }
int64_t kf_logarithm(int64_t x) { return scaled(log((double)(x < 0 ? 1 - x : x + 1))); }
int64_t kf_power(int64_t x) { return scaled(pow(1.5, (double)(x % 20))); }
int64_t kf_root(int64_t x) { return (int64_t)sqrtf((float)(x * x)); }
int64_t kf_remainder(int64_t x) { return scaled(fmod((double)x * 1.25, 7.5)); }
int64_t kf_cube_root(int64_t x) { return scaled(cbrt((double)x)); }
int64_t kf_parts(int64_t x) { int e; double m = frexp((double)x, &e); return scaled(m) + e * 1000; }
int64_t kf_wide_divide(int64_t x) { __int128 w = (__int128)x << 70; return (int64_t)(w / (x * x + 3)); }
int64_t kf_wide_unsigned(int64_t x) { unsigned __int128 w = (unsigned __int128)(uint64_t)x * 0xfedcba9876543211u; return (int64_t)(w % 1000003); }
int64_t kf_polynomial(int64_t x) { double v = (double)(x % 50); return scaled(((v * 0.5 - 2) * v + 0.125) * v - 9.75); }
int64_t kf_floor(int64_t x) { return (int64_t)floorf((float)x / 4) + (int64_t)ldexp(1, (int)(x & 15)); }
