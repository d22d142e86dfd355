// The limit: the loops of cref.c by hand, behind a contender's interface.
#define main cref_main
#include "../../testdata/spmd/cref.c"
#undef main
#include "contender.h"

static const char *kernel;

static float *buffer(int i) { return arguments[i].data; }
static int whole(int i) { return (int)arguments[i].value; }
static float number(int i) { return (float)arguments[i].value; }

static void launch(void) {
  if (!strcmp(kernel, "saxpy"))
    saxpy(buffer(0), buffer(1), number(2), whole(3));
  else if (!strcmp(kernel, "matmul_naive"))
    matmul(buffer(0), buffer(1), buffer(2), whole(3));
  else if (!strcmp(kernel, "stencil7"))
    stencil(buffer(0), buffer(1), whole(2), whole(3), whole(4), number(5), number(6));
  else if (!strcmp(kernel, "nbody"))
    nbody(buffer(0), buffer(1), whole(2), number(3));
  else if (!strcmp(kernel, "mandelbrot"))
    mandel_v((int *)buffer(0), whole(1), whole(2), whole(3), number(4), number(5), number(6), number(7));
  else if (!strcmp(kernel, "poly"))
    poly_rt(buffer(0), buffer(1), whole(2), whole(3), whole(4), (float[]){number(5), number(6), number(7), number(8), number(9), number(10), number(11), number(12)});
  else if (!strcmp(kernel, "poly_const"))
    poly_const(buffer(0), buffer(1), whole(2));
  else
    exit(2);
}

static void nothing(void) {}

int main(int argc, char **argv) {
  kernel = read_arguments(argc, argv);
  return serve(launch, nothing);
}
