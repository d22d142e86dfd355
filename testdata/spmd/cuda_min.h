// The few CUDA names the kernels here use, so that they compile without a CUDA SDK.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define WARP 32
struct Idx3 { unsigned x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
#define D static __device__ __forceinline__
#define threadIdx (Idx3{(unsigned)__nvvm_read_ptx_sreg_tid_x(), (unsigned)__nvvm_read_ptx_sreg_tid_y(), (unsigned)__nvvm_read_ptx_sreg_tid_z()})
#define blockIdx (Idx3{(unsigned)__nvvm_read_ptx_sreg_ctaid_x(), (unsigned)__nvvm_read_ptx_sreg_ctaid_y(), (unsigned)__nvvm_read_ptx_sreg_ctaid_z()})
#define blockDim (Idx3{(unsigned)__nvvm_read_ptx_sreg_ntid_x(), (unsigned)__nvvm_read_ptx_sreg_ntid_y(), (unsigned)__nvvm_read_ptx_sreg_ntid_z()})
#define gridDim (Idx3{(unsigned)__nvvm_read_ptx_sreg_nctaid_x(), (unsigned)__nvvm_read_ptx_sreg_nctaid_y(), (unsigned)__nvvm_read_ptx_sreg_nctaid_z()})
D int laneid() { return __nvvm_read_ptx_sreg_laneid(); }
// __syncthreads() itself is a clang builtin for this target
D int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
D int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
D int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
D void __syncwarp(unsigned m = ~0u) { __nvvm_bar_warp_sync(m); }
D void __threadfence() { __nvvm_membar_gl(); }
D void __threadfence_block() { __nvvm_membar_cta(); }
D int __shfl_sync(unsigned m, int v, int l) { return __nvvm_shfl_sync_idx_i32(m, v, l, 31); }
D int __shfl_xor_sync(unsigned m, int v, int l) { return __nvvm_shfl_sync_bfly_i32(m, v, l, 31); }
D int __shfl_up_sync(unsigned m, int v, int l) { return __nvvm_shfl_sync_up_i32(m, v, l, 0); }
D float __shfl_down_sync(unsigned m, float v, int l) { return __nvvm_shfl_sync_down_f32(m, v, l, 31); }
D unsigned __ballot_sync(unsigned m, int p) { return __nvvm_vote_ballot_sync(m, p); }
D int __any_sync(unsigned m, int p) { return __nvvm_vote_any_sync(m, p); }
D int __all_sync(unsigned m, int p) { return __nvvm_vote_all_sync(m, p); }
D unsigned __activemask() { return __nvvm_activemask(); }
D int __reduce_add_sync(unsigned m, int v) { return __nvvm_redux_sync_add(v, m); }
D long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
D void nanosleep_(unsigned n) { __nvvm_nanosleep(n); }
extern "C" __device__ float __nv_sqrtf(float), __nv_sinf(float), __nv_expf(float), __nv_powf(float, float), __nv_fmaf(float, float, float), __nv_rsqrtf(float);
extern "C" __device__ double __nv_sin(double), __nv_pow(double, double);
extern "C" __device__ int vprintf(const char *, const char *);
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
#define SQRTF __nv_sqrtf
#define RSQRTF __nv_rsqrtf
#define SINF __nv_sinf
#define EXPF __nv_expf
#define POWF __nv_powf
#define FMAF __nv_fmaf
#define SIN64 __nv_sin
D int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
D unsigned atomicAdd(unsigned *p, unsigned v) { return __nvvm_atom_add_gen_i((int *)p, v); }
D float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
D double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
D int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
D int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
D int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
D unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
D int atomicAdd_block(int *p, int v) { return __nvvm_atom_cta_add_gen_i(p, v); }
D int atomicAdd_system(int *p, int v) { return __nvvm_atom_sys_add_gen_i(p, v); }
