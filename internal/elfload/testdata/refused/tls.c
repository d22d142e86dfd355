_Thread_local int counter = 5;
int test(void *arg) { return ++counter; }
