// C library calls, both written and made by the compiler.
#include <stdint.h>
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void *memmove(void *, const void *, unsigned long);
int memcmp(const void *, const void *, unsigned long);
unsigned long strlen(const char *);
int snprintf(char *, unsigned long, const char *, ...);
void *malloc(unsigned long);
void free(void *);

struct block { char bytes[4096]; };
__attribute__((noinline)) static void assign(struct block *a, const struct block *b) { *a = *b; }

int32_t test(void *arg) {
	struct block *a = malloc(sizeof *a), *b = malloc(sizeof *b);
	if (!a || !b) return __LINE__;
	memset(b, 0x5a, sizeof *b);
	assign(a, b);
	int32_t at = 0;
	if (memcmp(a, b, sizeof *a)) at = __LINE__;
	memmove(a->bytes + 1, a->bytes, 4095);
	a->bytes[0] = 1;
	if (a->bytes[4095] != 0x5a || a->bytes[1] != 0x5a) at = __LINE__;
	char text[64];
	int n = snprintf(text, sizeof text, "%d %s %.2f", 42, "kernel", 1.25);
	if (n != 14 || strlen(text) != 14 || memcmp(text, "42 kernel 1.25", 15)) at = __LINE__;
	free(a);
	free(b);
	return at;
}
