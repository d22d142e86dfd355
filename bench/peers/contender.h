// What a contender's program is told and answers:
//
//   PROGRAM KERNEL GRIDX GRIDY GRIDZ BLOCKX BLOCKY BLOCKZ ARGUMENT...
//
// ARGUMENT is KIND:N:SEED:LO:HI:FLAGS:VALUE; KIND f32 or i32 is a buffer of N
// elements, f32s or i32s a number; FLAGS has z for zeros and o for the output.
// After a first launch the program prints "ready SUM" with the sum of the
// output's elements. It then reads numbers, and for each prints a line with
// the times, in ms, of that many launches. Buffers lie in huge pages where the
// system gives them, as numpy's do.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct argument {
  char kind[8], flags[8];
  size_t n;
  unsigned seed;
  double lo, hi, value;
  void *data; // of a buffer
};

static struct argument arguments[32];
static int argument_count;
static size_t extent[6]; // grid, block

static const char *read_arguments(int argc, char **argv) {
  if (argc < 8 || argc - 8 > 32)
    exit(2);
  for (int i = 0; i < 6; i++)
    extent[i] = strtoul(argv[2 + i], 0, 10);
  for (argument_count = 0; argument_count < argc - 8; argument_count++) {
    struct argument *a = &arguments[argument_count];
    if (sscanf(argv[8 + argument_count], "%7[^:]:%zu:%u:%lf:%lf:%7[^:]:%lf", a->kind, &a->n, &a->seed, &a->lo, &a->hi, a->flags, &a->value) != 7)
      exit(2);
    if (!a->n)
      continue;
    size_t bytes = (a->n * 4 + (2 << 20) - 1) >> 21 << 21;
    a->data = aligned_alloc(2 << 20, bytes);
    if (!a->data)
      exit(1);
    madvise(a->data, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < a->n; i++)
      if (strchr(a->flags, 'z'))
        ((uint32_t *)a->data)[i] = 0;
      else
        ((float *)a->data)[i] = a->lo + (a->hi - a->lo) * (((uint32_t)i * 2654435761u + a->seed * 40503u + 12345u) >> 8) / (1 << 24);
  }
  return argv[1];
}

static double output_sum(void) {
  double sum = 0;
  for (int k = 0; k < argument_count; k++) {
    struct argument *a = &arguments[k];
    if (strchr(a->flags, 'o'))
      for (size_t i = 0; i < a->n; i++)
        sum += a->kind[0] == 'f' ? ((float *)a->data)[i] : ((int32_t *)a->data)[i];
  }
  return sum;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

// serve answers until there is no more to read. fetch brings the output to
// where output_sum reads it.
static int serve(void (*launch)(void), void (*fetch)(void)) {
  launch();
  fetch();
  printf("ready %.9g\n", output_sum());
  fflush(stdout);
  for (int n; scanf("%d", &n) == 1;) {
    for (; n > 0; n--) {
      double began = now_ms();
      launch();
      printf("%.6f ", now_ms() - began);
    }
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
