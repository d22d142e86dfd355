; A GPU kernel may write to its byval aggregate: it gets a copy of the constant,
; but reads the constant itself where it only reads.
; kernel: k
; const: 0=0100000002000000 1=0300000004000000
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, i32 }

define ptx_kernel void @k(ptr byval(%pair) align 4 %written, ptr readonly byval(%pair) align 4 %read, ptr %out) {
  store i32 9, ptr %written
  %a = load i32, ptr %written
  %b = load i32, ptr %read
  %c = add i32 %a, %b
  store i32 %c, ptr %out
  ret void
}
