; Kernels marked as before LLVM 20: by metadata, with bounds in it.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@dynamic = external addrspace(3) global [0 x i32], align 16
@fixed = internal addrspace(3) global [64 x i32] undef, align 4
@odd = internal addrspace(3) global i8 undef, align 1
@constants = addrspace(4) externally_initialized constant [16 x float] zeroinitializer, align 4

define void @bounded(ptr %out, i32 %n) {
  call void @inner(ptr %out)
  ret void
}

define void @required(ptr %out) {
  store i32 0, ptr addrspacecast (ptr addrspace(3) @dynamic to ptr)
  ret void
}

define void @inner(ptr %out) {
  store i8 1, ptr addrspacecast (ptr addrspace(3) @odd to ptr)
  store i32 1, ptr addrspacecast (ptr addrspace(3) @fixed to ptr)
  ret void
}

define void @no_kernel() {
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @bounded, !"kernel", i32 1}
!1 = !{ptr @bounded, !"maxntidx", i32 128, !"maxntidy", i32 2}
!2 = !{ptr @required, !"kernel", i32 1, !"reqntidx", i32 32, !"reqntidy", i32 4, !"reqntidz", i32 1}
