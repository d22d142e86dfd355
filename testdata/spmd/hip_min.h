// The few HIP names the kernels here use, so that they compile without ROCm.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define WARP 64
struct Idx3 { unsigned x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
#define D static __device__ __forceinline__
extern "C" __device__ unsigned long __ockl_get_num_groups(unsigned), __ockl_get_local_size(unsigned);
extern "C" __device__ float __ocml_sqrt_f32(float), __ocml_rsqrt_f32(float), __ocml_sin_f32(float), __ocml_exp_f32(float), __ocml_pow_f32(float, float), __ocml_fma_f32(float, float, float);
extern "C" __device__ double __ocml_sin_f64(double), __ocml_pow_f64(double, double);
#define threadIdx (Idx3{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()})
#define blockIdx (Idx3{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()})
// implicit-argument and dispatch-packet reads appear through these:
#define blockDim (Idx3{__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z()})
#define gridDim (Idx3{__builtin_amdgcn_grid_size_x() / blockDim.x, __builtin_amdgcn_grid_size_y() / blockDim.y, __builtin_amdgcn_grid_size_z() / blockDim.z})
D int laneid() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
D void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
extern "C" __device__ int __ockl_wgred_add_i32(int), __ockl_wgred_and_i32(int), __ockl_wgred_or_i32(int);
D int __syncthreads_count(int p) { return __ockl_wgred_add_i32(!!p); }
D int __syncthreads_and(int p) { return __ockl_wgred_and_i32(!!p); }
D int __syncthreads_or(int p) { return __ockl_wgred_or_i32(!!p); }
D void __syncwarp(unsigned long m = ~0ul) { __builtin_amdgcn_wave_barrier(); }
D void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
D void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
D int __shfl_sync(unsigned long, int v, int l) { return __builtin_amdgcn_ds_bpermute(l << 2, v); }
D int __shfl_xor_sync(unsigned long m, int v, int l) { return __shfl_sync(m, v, laneid() ^ l); }
D int __shfl_up_sync(unsigned long m, int v, int l) { int s = laneid() - l; return __shfl_sync(m, v, s < 0 ? laneid() : s); }
D float __shfl_down_sync(unsigned long m, float v, int l) { int s = laneid() + l; return __builtin_bit_cast(float, __shfl_sync(m, __builtin_bit_cast(int, v), s > 63 ? laneid() : s)); }
D unsigned long __ballot_sync(unsigned long, int p) { return __builtin_amdgcn_ballot_w64(p != 0); }
D int __any_sync(unsigned long m, int p) { return __ballot_sync(m, p) != 0; }
D int __all_sync(unsigned long m, int p) { return __ballot_sync(m, p) == __builtin_amdgcn_read_exec(); }
D unsigned long __activemask() { return __builtin_amdgcn_read_exec(); }
D int __reduce_add_sync(unsigned long, int v) { for (int d = 1; d < 64; d <<= 1) v += __shfl_xor_sync(~0ul, v, d); return v; }
D int readfirstlane_(int v) { return __builtin_amdgcn_readfirstlane(v); }
D int readlane_(int v, int l) { return __builtin_amdgcn_readlane(v, l); }
D int swizzle_(int v) { return __builtin_amdgcn_ds_swizzle(v, 0x401F); }
D int dpp_(int v) { return __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, true); }
D long long clock64() { return __builtin_readcyclecounter(); }
D void nanosleep_(unsigned) { __builtin_amdgcn_s_sleep(1); }
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
#define SQRTF __ocml_sqrt_f32
#define RSQRTF __ocml_rsqrt_f32
#define SINF __ocml_sin_f32
#define EXPF __ocml_exp_f32
#define POWF __ocml_pow_f32
#define FMAF __ocml_fma_f32
#define SIN64 __ocml_sin_f64
#define A(T, n, op) D T n(T *p, T v) { return op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
A(int, atomicAdd, __hip_atomic_fetch_add) A(unsigned, atomicAdd, __hip_atomic_fetch_add) A(float, atomicAdd, __hip_atomic_fetch_add)
A(double, atomicAdd, __hip_atomic_fetch_add) A(int, atomicMax, __hip_atomic_fetch_max) A(int, atomicExch, __hip_atomic_exchange)
#undef A
D int atomicCAS(int *p, int c, int v) { __hip_atomic_compare_exchange_strong(p, &c, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); return c; }
D unsigned atomicInc(unsigned *p, unsigned v) { return __builtin_amdgcn_atomic_inc32(p, v, __ATOMIC_RELAXED, "agent"); }
D int atomicAdd_block(int *p, int v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); }
D int atomicAdd_system(int *p, int v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); }
