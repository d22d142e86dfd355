extern int kiln_missing_b(int), kiln_missing_a(int), kiln_missing_data;
int test(void *arg) { return kiln_missing_b(1) + kiln_missing_a(2) + kiln_missing_data; }
