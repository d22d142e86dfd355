; A GPU kernel loses the module's constructors and assembly, keeps its shared
; memory and its calling convention.
; kernel: k
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

module asm ".global junk"

@tile = internal addrspace(3) global [256 x float] undef, align 4
@other_tile = internal addrspace(3) global [16 x float] undef, align 4
@counter = addrspace(1) externally_initialized global i32 7, align 4
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @set, ptr null }]
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr)], section "llvm.metadata"

define internal void @set() {
  ret void
}

define ptx_kernel void @k(ptr %out) {
  %v = load float, ptr addrspacecast (ptr addrspace(3) @tile to ptr)
  store float %v, ptr %out
  %n = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr)
  store i32 %n, ptr %out
  ret void
}

define ptx_kernel void @other(ptr %out) {
  %v = load float, ptr addrspacecast (ptr addrspace(3) @other_tile to ptr)
  store float %v, ptr %out
  ret void
}
