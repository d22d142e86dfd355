// A switch that becomes a table, and computed goto.
#include <stdint.h>
void abort(void);
__attribute__((noinline)) static int choose(int k, int x) {
	switch (k) {
	case 0: return x + 3;
	case 1: return x * 5;
	case 2: return x ^ 0x55;
	case 3: return x - 11;
	case 4: return x << 3;
	case 5: return -x;
	case 6: return x / 7;
	case 7: return x % 13;
	case 8: return ~x;
	default: return 0;
	}
}

__attribute__((noinline)) static int interpret(const unsigned char *code) {
	static const void *const table[] = {&&stop, &&add, &&twice, &&less};
	int acc = 1;
	goto *table[*code++];
add: acc += 10; goto *table[*code++];
twice: acc *= 2; goto *table[*code++];
less: acc -= 3; goto *table[*code++];
stop: return acc;
}

int32_t test(void *arg) {
	static const int want[] = {103, 500, 49, 89, 800, -100, 14, 9, -101, 0};
	for (volatile int i = 0; i < 10; i++)
		if (choose(i, 100) != want[i]) return __LINE__;
	static const unsigned char code[] = {1, 2, 3, 2, 0};
	return interpret(code) == 38 ? 0 : __LINE__;
}
