// libm, and the helpers that compilers call for plain arithmetic.
#include <stdint.h>
double sin(double), cos(double), pow(double, double);
float fmodf(float, float);

typedef __int128 wide;
typedef unsigned __int128 uwide;

__attribute__((noinline)) static wide divide(wide a, wide b) { return a / b; }
__attribute__((noinline)) static uwide remainder_of(uwide a, uwide b) { return a % b; }
__attribute__((noinline)) static _Float16 halve(float x) { return (_Float16)(x * 0.5f); }
__attribute__((noinline)) static float modulus(float a, float b) { return fmodf(a, b); }

int32_t test(void *arg) {
	volatile double x = 0.5;
	double s = sin(x), c = cos(x);
	if (s * s + c * c < 0.999999 || s * s + c * c > 1.000001) return __LINE__;
	if (pow(x + 1.5, 10) != 1024) return __LINE__;
	volatile int64_t n = 1234567890123;
	wide big = (wide)n * n * 1000;
	if (divide(big, n) != (wide)n * 1000) return __LINE__;
	if (remainder_of((uwide)big + 7, 1000) != 7) return __LINE__;
	volatile float f = 3.0f;
	if ((float)halve(f) != 1.5f) return __LINE__;
	if (modulus(f + 4, f) != 1.0f) return __LINE__;
	return 0;
}
