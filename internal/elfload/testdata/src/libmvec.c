// Calls a function of the vector math library by its mangled name.
#include <stdint.h>
typedef double d2 __attribute__((vector_size(16)));
d2 _ZGVbN2v_exp(d2);
int32_t test(void *arg) {
	volatile double zero = 0;
	d2 r = _ZGVbN2v_exp((d2){zero, zero});
	return r[0] == 1 && r[1] == 1 ? 0 : __LINE__;
}
