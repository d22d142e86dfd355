// String literals in mergeable sections and tables that point at them.
#include <stdint.h>
int strcmp(const char *, const char *);
static const char *const names[] = {"alpha", "beta", "gamma", "delta", "", "eta"};
static const char *mutable_names[] = {"one", "two", "three"};
struct entry { const char *key; int value; const char *note; };
static const struct entry entries[] = {{"grid", 64, "groups"}, {"block", 256, "items"}, {"shared", 0, "bytes"}};
__attribute__((noinline)) static const char *pick(int i) { return names[i]; }

int32_t test(void *arg) {
	volatile int i = 2;
	if (strcmp(pick(i), "gamma") || *pick(i + 2) || strcmp(pick(5), "eta")) return __LINE__;
	if (strcmp(entries[i - 1].key, "block") || entries[i - 1].value != 256 || strcmp(entries[i].note, "bytes")) return __LINE__;
	mutable_names[i] = names[0];
	if (strcmp(mutable_names[2], "alpha") || strcmp(mutable_names[1], "two")) return __LINE__;
	mutable_names[i] = "three";
	return 0;
}
