// A module without variables, whose constructor does something elsewhere.
extern "C" {
int setenv(const char *, const char *, int);
char *getenv(const char *);
__attribute__((constructor)) static void begin(void) { setenv("KILN_TEST_CONSTRUCTED", "yes", 1); }
int constructed(void) { return getenv("KILN_TEST_CONSTRUCTED") != 0; }
}
