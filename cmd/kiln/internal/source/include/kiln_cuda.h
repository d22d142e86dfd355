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

#define CUDA_VERSION 12000 // asked for by the next headers
#include "__clang_cuda_device_functions.h"
typedef unsigned cuuint32_t;
KILN_DEVICE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
KILN_DEVICE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
KILN_DEVICE size_t __cvta_generic_to_shared(const void *p) {
  return (size_t)(__attribute__((address_space(3))) const void *)p;
}
// Those of clang are assembly for NVIDIA's processors.
#define __funnelshift_l kiln_asm_l
#define __funnelshift_r kiln_asm_r
#define __funnelshift_lc kiln_asm_lc
#define __funnelshift_rc kiln_asm_rc
#include "__clang_cuda_intrinsics.h"
#undef __funnelshift_l
#undef __funnelshift_r
#undef __funnelshift_lc
#undef __funnelshift_rc
#include "kiln_funnel.h"
#include "__clang_cuda_math.h"

KILN_DEVICE float min(float a, float b) { return __nv_fminf(a, b); }
KILN_DEVICE float max(float a, float b) { return __nv_fmaxf(a, b); }
KILN_DEVICE double min(double a, double b) { return __nv_fmin(a, b); }
KILN_DEVICE double max(double a, double b) { return __nv_fmax(a, b); }
KILN_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
KILN_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
KILN_DEVICE long long min(long long a, long long b) { return a < b ? a : b; }
KILN_DEVICE long long max(long long a, long long b) { return a > b ? a : b; }

#include "kiln_atomics.h"
#undef KILN_DEVICE

#define KILN_RT(name) cuda##name
#include "kiln_host.h"
#undef KILN_RT
int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
