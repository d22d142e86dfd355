// Addresses of functions: the object's own and those of other libraries.
#include <stdint.h>
double sqrt(double), floor(double), exp(double);
unsigned long strlen(const char *);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));

__attribute__((noinline)) static int add(int a, int b) { return a + b; }
__attribute__((noinline)) static int sub(int a, int b) { return a - b; }
int mul(int a, int b) { return a * b; }
typedef int (*op)(int, int);
static const op table[] = {add, sub, mul};
static double (*const real[])(double) = {sqrt, floor, exp};
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static double twice(double (*f)(double), double x) { return f(f(x)); }

int32_t test(void *arg) {
	static const int want[] = {13, 7, 30};
	for (volatile int i = 0; i < 3; i++)
		if (table[i](10, 3) != want[i]) return __LINE__;
	volatile double x = 2.25;
	if (real[0](x) != 1.5 || real[1](x) != 2 || real[2](x - 2.25) != 1) return __LINE__;
	if (twice(sqrt, 16.0) != 2.0) return __LINE__;
	unsigned long (*volatile length)(const char *) = strlen;
	if (length("seven..") != 7) return __LINE__;
	int v[] = {5, 2, 9, 1};
	qsort(v, 4, sizeof *v, order);
	return v[0] == 1 && v[1] == 2 && v[2] == 5 && v[3] == 9 ? 0 : __LINE__;
}
