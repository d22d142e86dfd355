// Large arrays: zeroed, initialised and constant.
#include <stdint.h>
static double zeroed[1 << 18];
int visible_zeroed[100000];
static int filled[5000] = {[0] = 1, [4999] = 7};
const short constant[3000] = {[1] = 4, [2999] = -9};
static double *const ends[] = {&zeroed[0], &zeroed[(1 << 18) - 1]};

int32_t test(void *arg) {
	double sum = 0;
	for (int i = 0; i < 1 << 18; i += 512) sum += zeroed[i];
	if (sum) return __LINE__;
	*ends[1] = 2.5;
	*ends[0] = 1.5;
	volatile int last = (1 << 18) - 1;
	if (zeroed[last] + zeroed[0] != 4) return __LINE__;
	zeroed[last] = zeroed[0] = 0;
	volatile int k = 4999;
	if (filled[k] != 7 || filled[0] != 1 || filled[k - 1]) return __LINE__;
	if (constant[k - 2000] != -9 || constant[1] != 4) return __LINE__;
	visible_zeroed[99999] = 3;
	if (visible_zeroed[k * 20 + 19] != 3) return __LINE__;
	visible_zeroed[99999] = 0;
	return 0;
}
