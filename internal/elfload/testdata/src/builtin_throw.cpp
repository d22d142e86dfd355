// Throws a built-in type, whose type information is libstdc++'s data.
#include <stdint.h>
__attribute__((noinline)) static void raise(int k) {
	if (k) throw k;
}
extern "C" int32_t test(void *arg) {
	try { raise(77); } catch (int k) { return k == 77 ? 0 : __LINE__; }
	return __LINE__;
}
