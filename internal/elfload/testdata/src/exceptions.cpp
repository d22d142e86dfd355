// Exceptions thrown and caught inside the object, through frames with clean-up.
#include <stdint.h>
struct Failure { int code; };
struct Narrow : Failure { int extra; };
static int cleaned;
struct Guard { ~Guard() { cleaned++; } };

__attribute__((noinline)) static void raise(int k) {
	if (k == 1) throw Failure{11};
	if (k == 2) throw Narrow{{22}, 3};
	if (k == 3) throw Failure{33};
}
__attribute__((noinline)) static int between(int k) {
	Guard g;
	raise(k);
	return 5;
}
__attribute__((noinline)) static int attempt(int k) {
	try {
		return between(k);
	} catch (const Narrow &n) {
		return n.code + n.extra;
	} catch (const Failure &f) {
		if (f.code == 33) {
			try { throw; } catch (...) { return 44; }
		}
		return f.code;
	}
}

extern "C" int32_t test(void *arg) {
	cleaned = 0;
	if (attempt(0) != 5 || attempt(1) != 11 || attempt(2) != 25 || attempt(3) != 44) return __LINE__;
	return cleaned == 4 ? 0 : __LINE__;
}
