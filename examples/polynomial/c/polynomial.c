struct coefficients {
  double c[16];
};

void polynomial(double *restrict y, const double *restrict x, int n, int degree, struct coefficients p) {
  for (int i = 0; i < n; ++i) {
    double value = p.c[degree];
    for (int k = degree - 1; k >= 0; --k)
      value = value * x[i] + p.c[k];
    y[i] = value;
  }
}
