// Variables of host functions, made into bitcode by ./make.sh.
#include <stdint.h>

struct started {
  int value;
  started() : value(41) { runs++; }
  static int runs;
};
int started::runs;

static started object;
static int internal = 5;
int array[3] = {1, 2, 3};
int *pointer = &array[1];
const int constant = 9;
extern "C" {
int common_name = 1;
__attribute__((weak)) int weak_name = 2;
extern int other_name __attribute__((alias("common_name")));
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
int (*operation)(int) = twice;

int bump(int by) {
  static int calls;
  internal += by;
  array[2] += by;
  common_name += by;
  weak_name += by;
  return ++calls;
}
int use_thrice(void) { operation = thrice; return 0; }
int look(int which) {
  switch (which) {
  case 0: return internal;
  case 1: return array[0] + 10 * array[1] + 100 * array[2];
  case 2: return *pointer;
  case 3: return constant;
  case 4: return other_name;
  case 5: return weak_name;
  case 6: return object.value;
  case 7: return started::runs;
  case 8: return operation(7);
  }
  return -1;
}
}
