// PoCL behind a contender's interface. The source is kernels.cl as it is;
// buffers are the host's memory, which PoCL uses in place.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "contender.h"

static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem output;
static struct argument *output_argument;

static void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: OpenCL error %d\n", what, status);
  exit(1);
}

static cl_device_id find_device(void) {
  cl_platform_id platforms[16];
  cl_uint n = 0;
  check(clGetPlatformIDs(16, platforms, &n), "listing platforms");
  for (cl_uint i = 0; i < n && i < 16; i++) {
    char name[256] = "";
    cl_device_id device;
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, 0);
    if (!strcmp(name, "Portable Computing Language") && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, 0) == CL_SUCCESS)
      return device;
  }
  fprintf(stderr, "PoCL is not installed\n");
  exit(3);
}

static void launch(void) {
  size_t global[3], local[3];
  for (int i = 0; i < 3; i++)
    local[i] = extent[3 + i], global[i] = extent[i] * local[i];
  check(clEnqueueNDRangeKernel(queue, kernel, 3, 0, global, local, 0, 0, 0), "launching");
  check(clFinish(queue), "waiting");
}

static void fetch(void) {
  check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, output_argument->n * 4, output_argument->data, 0, 0, 0), "reading the output");
}

int main(int argc, char **argv) {
  const char *name = read_arguments(argc, argv);
  cl_device_id device = find_device();
  cl_int status;
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &status);
  check(status, "making a context");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "making a queue");

  FILE *file = fopen("testdata/spmd/kernels.cl", "rb");
  static char source[1 << 16];
  if (!file || !fread(source, 1, sizeof source - 1, file))
    return 1;
  const char *text = source;
  cl_program program = clCreateProgramWithSource(context, 1, &text, 0, &status);
  check(status, "reading the source");
  status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0);
  if (status != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, 0);
    fputs(log, stderr);
  }
  check(status, "compiling");
  kernel = clCreateKernel(program, name, &status);
  check(status, "finding the kernel");
  for (int i = 0; i < argument_count; i++) {
    struct argument *a = &arguments[i];
    cl_int whole = (cl_int)a->value;
    cl_float number = (cl_float)a->value;
    if (a->n) {
      cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, a->n * 4, a->data, &status);
      check(status, "making a buffer");
      check(clSetKernelArg(kernel, i, sizeof memory, &memory), "setting a buffer");
      if (strchr(a->flags, 'o'))
        output = memory, output_argument = a;
    } else if (a->kind[0] == 'i') {
      check(clSetKernelArg(kernel, i, sizeof whole, &whole), "setting a number");
    } else {
      check(clSetKernelArg(kernel, i, sizeof number, &number), "setting a number");
    }
  }
  return serve(launch, fetch);
}
