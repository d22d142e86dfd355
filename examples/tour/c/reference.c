// The tour's kernels in plain C, on all processors.
//
//   reference KERNEL SIZE RUNS FILE
//
// runs one on fresh input, writes its output to FILE, and prints the least
// time of RUNS further runs in ms.
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int size;
static float *out, *first, *second;

static void saxpy(int begin, int end) {
  for (int i = begin; i < end; i++)
    out[i] = 2.5f * first[i] + out[i];
}

// The rows are added up in the order that is fast in plain C.
static void matmul(int begin, int end) {
  for (int row = begin; row < end; row++) {
    float *restrict c = out + (size_t)row * size;
    memset(c, 0, size * sizeof *c);
    for (int k = 0; k < size; k++)
      for (int col = 0; col < size; col++)
        c[col] += first[(size_t)row * size + k] * second[(size_t)k * size + col];
  }
}

static void stencil(int begin, int end) {
  size_t row = size, plane = row * size;
  for (int z = begin > 1 ? begin : 1; z < end && z < size - 1; z++)
    for (int y = 1; y < size - 1; y++) {
      float *restrict to = out + z * plane + y * row;
      const float *at = first + z * plane + y * row;
      for (int x = 1; x < size - 1; x++)
        to[x] = 0.5f * at[x] + 0.08f * (at[x - 1] + at[x + 1] + at[x - row] + at[x + row] + at[x - plane] + at[x + plane]);
    }
}

static void nbody(int begin, int end) {
  for (int i = begin; i < end; i++) {
    const float *p = first + 4 * i;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < size; j++) {
      const float *q = first + 4 * j;
      float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
      float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = q[3] * inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    out[4 * i] = ax, out[4 * i + 1] = ay, out[4 * i + 2] = az, out[4 * i + 3] = 0;
  }
}

static void mandelbrot(int begin, int end) {
  float step = 2.5f / size;
  for (int py = begin; py < end; py++)
    for (int px = 0; px < size; px++) {
      float cx = -2 + step * px, cy = -1.25f + step * py, x = 0, y = 0;
      int32_t i = 0;
      for (; i < 256 && x * x + y * y <= 4; i++) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy, x = next;
      }
      ((int32_t *)out)[(size_t)py * size + px] = i;
    }
}

static void poly(int begin, int end) {
  static const float c[8] = {0.25f, -0.5f, 0.125f, 0.75f, -0.25f, 0.5f, -0.125f, 0.0625f};
  for (int i = begin; i < end; i++) {
    float v = first[i];
    for (int r = 0; r < 4; r++) {
      float p = c[7];
      for (int k = 6; k >= 0; k--)
        p = p * v + c[k];
      v = p;
    }
    out[i] = v;
  }
}

static float *fill(size_t n, uint32_t seed, double lo, double hi) {
  float *p = malloc(n * sizeof *p);
  for (size_t i = 0; i < n; i++)
    p[i] = lo + (hi - lo) * ((uint32_t)((uint32_t)i * 2654435761u + seed * 40503u + 12345u) >> 8) / (1 << 24);
  return p;
}

static void (*kernel)(int, int);
static long threads;

static void *part(void *number) {
  long n = (long)number;
  kernel(size * n / threads, size * (n + 1) / threads);
  return 0;
}

static double run(void) {
  struct timespec began, ended;
  pthread_t others[64];
  clock_gettime(CLOCK_MONOTONIC, &began);
  for (long i = 1; i < threads; i++)
    if (pthread_create(&others[i], 0, part, (void *)i))
      exit(1);
  part(0);
  for (long i = 1; i < threads; i++)
    pthread_join(others[i], 0);
  clock_gettime(CLOCK_MONOTONIC, &ended);
  return (ended.tv_sec - began.tv_sec) * 1e3 + (ended.tv_nsec - began.tv_nsec) * 1e-6;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  const char *name = argv[1];
  size = atoi(argv[2]);
  threads = sysconf(_SC_NPROCESSORS_ONLN);
  threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
  size_t n = size, count = n;
  if (!strcmp(name, "saxpy")) {
    kernel = saxpy, out = fill(n, 1, 0, 1), first = fill(n, 2, 0, 1);
  } else if (!strcmp(name, "matmul_naive")) {
    kernel = matmul, count = n * n, first = fill(count, 3, 0, 1), second = fill(count, 4, 0, 1);
  } else if (!strcmp(name, "stencil7")) {
    kernel = stencil, count = n * n * n, first = fill(count, 7, 0, 1);
  } else if (!strcmp(name, "nbody")) {
    kernel = nbody, count = 4 * n, first = fill(count, 8, -1, 1);
  } else if (!strcmp(name, "mandelbrot")) {
    kernel = mandelbrot, count = n * n;
  } else if (!strcmp(name, "poly")) {
    kernel = poly, first = fill(n, 10, -1, 1);
  } else {
    return 2;
  }
  if (!out)
    out = calloc(count, sizeof *out);
  run();
  FILE *file = fopen(argv[4], "wb");
  if (!file || fwrite(out, sizeof *out, count, file) != count || fclose(file))
    return 1;
  double least = INFINITY;
  for (int i = atoi(argv[3]); i > 0; i--)
    least = fmin(least, run());
  printf("%.6f\n", least);
  return 0;
}
