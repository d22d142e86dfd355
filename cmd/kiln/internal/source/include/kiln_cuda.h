// Stands in for the CUDA toolkit's headers when a source holds kernels only.
// Math comes from the headers that clang itself brings.
#pragma once
#include "kiln_device.h"

KILN_IDS(threadIdx, __nvvm_read_ptx_sreg_tid)
KILN_IDS(blockIdx, __nvvm_read_ptx_sreg_ctaid)
KILN_IDS(blockDim, __nvvm_read_ptx_sreg_ntid)
KILN_IDS(gridDim, __nvvm_read_ptx_sreg_nctaid)
static constexpr int warpSize = 32;

#include "__clang_cuda_libdevice_declares.h"

KILN_DEVICE long long __float2ll_rn(float a) { return __nv_float2ll_rn(a); }
KILN_DEVICE long long __double2ll_rn(double a) { return __nv_double2ll_rn(a); }
#define CUDA_VERSION 12000 // asked for by the next header
#include "__clang_cuda_math.h"

KILN_DEVICE float min(float a, float b) { return __nv_fminf(a, b); }
KILN_DEVICE float max(float a, float b) { return __nv_fmaxf(a, b); }
KILN_DEVICE double min(double a, double b) { return __nv_fmin(a, b); }
KILN_DEVICE double max(double a, double b) { return __nv_fmax(a, b); }
KILN_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
KILN_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
KILN_DEVICE long long min(long long a, long long b) { return a < b ? a : b; }
KILN_DEVICE long long max(long long a, long long b) { return a > b ? a : b; }

template <typename T> KILN_DEVICE T __ldg(const T *p) { return *p; }
KILN_DEVICE void __threadfence() { __nvvm_membar_gl(); }
KILN_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
KILN_DEVICE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
KILN_DEVICE unsigned atomicAdd(unsigned *p, unsigned v) { return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v); }
KILN_DEVICE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) {
  return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)p, (long long)v);
}
KILN_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
KILN_DEVICE double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
KILN_DEVICE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
KILN_DEVICE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
KILN_DEVICE unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
KILN_DEVICE unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
KILN_DEVICE int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
KILN_DEVICE int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
KILN_DEVICE int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
KILN_DEVICE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
KILN_DEVICE int atomicCAS(int *p, int expected, int v) { return __nvvm_atom_cas_gen_i(p, expected, v); }
#undef KILN_DEVICE

#define KILN_RT(name) cuda##name
#include "kiln_host.h"
#undef KILN_RT
int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
