// A function that the kernel calls, so that both have code and symbols of their own.
__device__ __noinline__ int helper(int x) { return x * 3 + (int)clock(); }

extern "C" __global__ void outer(int *p) { *p = helper(*p); }
