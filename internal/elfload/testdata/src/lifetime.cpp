// Constructors and destructors, with and without priority. Each writes its
// letter into a log; test is given the address the log is copied to, and from
// then on letters go there.
#include <stdint.h>
static char early[16];
static int used;
static char *log_to;
static void note(char c) {
	if (log_to) log_to[used++] = c;
	else early[used++] = c;
}

struct Object {
	char name;
	explicit Object(char c) : name(c) { note(c); }
	~Object() { note((char)(name + 'a' - 'A')); }
};

__attribute__((constructor(201))) static void second() { note('2'); }
__attribute__((constructor(101))) static void first() { note('1'); }
__attribute__((constructor(301))) static void third() { note('3'); }
__attribute__((destructor(101))) static void last() { note('z'); }
__attribute__((destructor(201))) static void before_last() { note('y'); }
__attribute__((destructor)) static void unordered() { note('x'); }
static Object a('A');
static Object b('B');

extern "C" int32_t test(void *arg) {
	static Object local('L');
	const char want[] = "123ABL";
	for (int i = 0; i < 6; i++)
		if (early[i] != want[i]) return __LINE__;
	if (used < 6) return __LINE__;
	if (!log_to) {
		if (used != 6) return __LINE__;
		log_to = (char *)arg;
		for (int i = 0; i < used; i++) log_to[i] = early[i];
	}
	return 0;
}
