// Static locals that need a guard, and one whose destructor runs at the end.
#include <stdint.h>
static int built;
struct Table {
	int v[8];
	explicit Table(int k) { for (int i = 0; i < 8; i++) v[i] = k * i; built++; }
	~Table() { built--; }
};
__attribute__((noinline)) static Table &table(int k) { static Table t(k); return t; }
__attribute__((noinline)) static int opaque(int x) { volatile int y = x; return y; }
__attribute__((noinline)) static int once() { static int n = opaque(6) * 7; return n++; }

extern "C" int32_t test(void *arg) {
	table(opaque(3));
	if (built != 1 || table(9).v[7] != 21) return __LINE__;
	int a = once(), b = once();
	return a + 1 == b && a >= 42 ? 0 : __LINE__;
}
