// Objects aligned beyond a page's usual contents, up to 64 KiB.
#include <stdint.h>
static _Alignas(4096) char page[4096];
static _Alignas(4096) int words[4] = {1, 2, 3, 4};
const _Alignas(4096) int sealed[2] = {5, 6};
_Alignas(65536) char huge[8];
_Alignas(64) long line[8];

int32_t test(void *arg) {
	volatile uintptr_t p = (uintptr_t)page, w = (uintptr_t)words, s = (uintptr_t)sealed, h = (uintptr_t)huge, l = (uintptr_t)line;
	if (p % 4096 || w % 4096 || s % 4096) return __LINE__;
	if (h % 65536 || l % 64) return __LINE__;
	volatile int one = 1;
	page[4095] = (char)one;
	if (words[one] != 2 || sealed[one] != 6 || page[4094 + one] != 1) return __LINE__;
	page[4095] = 0;
	return 0;
}
