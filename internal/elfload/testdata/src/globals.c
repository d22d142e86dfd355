// Every kind of global: data, zeroed, constant, COMMON, weak, absent.
#include <stdint.h>
int initialised = 41;
static int zeroed;
const int constant = 17;
int common;
long common_array[300];
__attribute__((weak)) int weak_data = 5;
__attribute__((weak)) int weak_function(int x) { return x + 1; }
extern __attribute__((weak)) int absent_data;
extern __attribute__((weak)) int absent_function(int);
int *const pointer = &initialised;
static int *moving = &zeroed;
__attribute__((visibility("hidden"))) int hidden = 3;
__attribute__((noinline)) int count(void) { static int calls; return ++calls; }

int32_t test(void *arg) {
	if (initialised != 41 || zeroed || constant != 17 || common || hidden != 3) return __LINE__;
	for (int i = 0; i < 300; i++)
		if (common_array[i]) return __LINE__;
	common = 9;
	common_array[299] = 7;
	initialised++;
	zeroed = 2;
	if (*pointer != 42 || *moving != 2) return __LINE__;
	moving = &common;
	if (*moving != 9 || common_array[299] != 7) return __LINE__;
	if (weak_data != 5 || weak_function(1) != 2) return __LINE__;
	if (&absent_data || absent_function) return __LINE__;
	int before = count();
	if (count() != before + 1) return __LINE__;
	initialised = 41;
	zeroed = common = 0;
	common_array[299] = 0;
	moving = &zeroed;
	return 0;
}
