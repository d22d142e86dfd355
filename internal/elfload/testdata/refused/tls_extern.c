extern _Thread_local int counter;
int test(void *arg) { return ++counter; }
