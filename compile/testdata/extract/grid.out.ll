; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef, align 4
@kiln.global.2 = external addrspace(1) global i32, align 4

define hidden ptx_kernel void @k(ptr %out) {
  %v = load float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
  store float %v, ptr %out, align 4
  %n = load i32, ptr addrspacecast (ptr addrspace(1) @kiln.global.2 to ptr), align 4
  store i32 %n, ptr %out, align 4
  ret void
}
