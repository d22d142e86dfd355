// Data of another library, which code that must lie low cannot reach.
#include <stdint.h>
extern const unsigned char in6addr_loopback[16];
int32_t test(void *arg) {
	volatile int last = 15;
	return in6addr_loopback[last] == 1 && !in6addr_loopback[0] ? 0 : __LINE__;
}
