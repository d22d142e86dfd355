// Inline functions, templates and inline variables: COMDAT groups.
#include <stdint.h>
template <typename T> struct Counter {
	static int made;
	static T total;
	Counter() { made++; }
	T add(T x) { return total += x; }
};
template <typename T> int Counter<T>::made = 100;
template <typename T> T Counter<T>::total = T(1);
inline int shared = 7;
inline int bump() { static int n = 10; return ++n; }
template <int N> __attribute__((noinline)) int power(int x) { return x * power<N - 1>(x); }
template <> __attribute__((noinline)) int power<0>(int) { return 1; }
template <typename T> __attribute__((noinline)) T largest(const T *p, int n) {
	T best = p[0];
	for (int i = 1; i < n; i++) if (p[i] > best) best = p[i];
	return best;
}
__attribute__((noinline)) static int twice() { return bump() + bump(); }
static int baseline = 0;

extern "C" int32_t test(void *arg) {
	Counter<int> a;
	Counter<double> b;
	Counter<int> c;
	if (Counter<int>::made != 102 || Counter<double>::made != 101) return __LINE__;
	if (a.add(4) != 5 || c.add(1) != 6 || b.add(0.5) != 1.5) return __LINE__;
	if (shared != 7 || baseline) return __LINE__;
	int sum = twice();
	if (sum < 23 || (sum - 23) % 4) return __LINE__;
	volatile int three = 3;
	if (power<5>(three) != 243) return __LINE__;
	const double d[] = {1, 9, 4};
	const int i[] = {5, -1, 8, 2};
	if (largest(d, 3) != 9 || largest(i, 4) != 8) return __LINE__;
	Counter<int>::made = 100; Counter<double>::made = 100;
	Counter<int>::total = 1; Counter<double>::total = 1;
	return 0;
}
