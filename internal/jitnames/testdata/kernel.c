// A kernel that runs until the number it is given is no longer zero.
__attribute__((noinline)) static long count_up(volatile long *stop) {
  long n = 0;
  while (!*stop)
    n++; // the line that tools should show
  return n;
}

int spin_kernel(void *stop) {
  return count_up(stop) > 0;
}
