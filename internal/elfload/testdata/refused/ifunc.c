static int plain(void) { return 1; }
static void *choose(void) { return plain; }
int chosen(void) __attribute__((ifunc("choose")));
int test(void *arg) { return chosen(); }
