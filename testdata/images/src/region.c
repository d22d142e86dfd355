int table[4];
#pragma omp declare target to(table)

void add(int *y, const int *x, int n) {
#pragma omp target teams distribute parallel for map(tofrom : y[:n]) map(to : x[:n])
  for (int i = 0; i < n; i++) y[i] += x[i] + table[i & 3];
}

int main(void) {
  int x[8] = {0}, y[8] = {0};
  add(y, x, 8);
  return y[3];
}
