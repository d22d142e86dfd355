// Thread-local variables by way of libgcc, for clang -femulated-tls.
#include <stdint.h>
static _Thread_local int counter = 5;
_Thread_local long wide;
__attribute__((noinline)) static int next(void) { wide += 2; return ++counter; }
int32_t test(void *arg) {
	int a = next(), b = next();
	if (b != a + 1 || a < 6 || wide < 4) return __LINE__;
	return 0;
}
