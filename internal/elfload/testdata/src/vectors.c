// Vector constants in sections of mergeable entries of several sizes.
#include <stdint.h>
typedef float v8 __attribute__((vector_size(32)));
typedef int i8 __attribute__((vector_size(32)));
typedef double d4 __attribute__((vector_size(32)));

__attribute__((noinline)) static void scale(float *p, int n) {
	const v8 a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {0.5f, 0.25f, 0.125f, 2, 4, 8, 16, 32};
	for (int i = 0; i + 8 <= n; i += 8) {
		v8 x;
		__builtin_memcpy(&x, p + i, sizeof x);
		x = x * a + b;
		__builtin_memcpy(p + i, &x, sizeof x);
	}
}

__attribute__((noinline)) static int permute(int k) {
	i8 x = {k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7};
	i8 y = x * (i8){3, 1, 4, 1, 5, 9, 2, 6} ^ (i8){1, 2, 4, 8, 16, 32, 64, 128};
	int sum = 0;
	for (int i = 0; i < 8; i++) sum += y[i];
	return sum;
}

int32_t test(void *arg) {
	float p[16];
	for (int i = 0; i < 16; i++) p[i] = (float)i;
	scale(p, 16);
	static const float b[] = {0.5f, 0.25f, 0.125f, 2, 4, 8, 16, 32};
	for (int i = 0; i < 16; i++)
		if (p[i] != (float)i * (float)(i % 8 + 1) + b[i % 8]) return __LINE__;
	int want = 0;
	static const int m[] = {3, 1, 4, 1, 5, 9, 2, 6};
	for (int i = 0; i < 8; i++) want += (10 + i) * m[i] ^ 1 << i;
	volatile int ten = 10;
	if (permute(ten) != want) return __LINE__;
	volatile double one = 1;
	d4 d = (d4){1.5, 2.5, 3.5, 4.5} * one;
	return d[0] + d[1] + d[2] + d[3] == 12 ? 0 : __LINE__;
}
