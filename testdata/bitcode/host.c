/* What bitcode says differently from version to version: pointers, loops with
   metadata, a switch, an array that holds addresses, an aggregate, half of a call. */
struct pair {
  double sum;
  int count;
};

static const double steps[4] = {1, -2, 3, 0.5};
static int twice(int x) { return 2 * x; }
static int negated(int x) { return -x; }
static int (*const operations[2])(int) = {twice, negated};

double total(const struct pair *pairs, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += pairs[i].sum * pairs[i].count + steps[i & 3];
  return sum;
}

int choose(int which, int x) {
  switch (which) {
  case 0:
  case 1:
    return operations[which](x);
  case 7:
    return __builtin_popcount(x);
  default:
    return x * x;
  }
}
