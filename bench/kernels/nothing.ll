; Kernels that do nothing, to measure launches by.
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @nothing(ptr %p, i32 %a, i32 %b, i32 %c, float %d) {
  ret void
}
