target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define ptx_kernel void @shift(ptr %values, float %by) {
  %group = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %item = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %group, %size
  %i = add i32 %first, %item
  %p = getelementptr float, ptr %values, i32 %i
  %old = load float, ptr %p
  %new = fadd float %old, %by
  store float %new, ptr %p
  ret void
}

define ptx_kernel void @average(ptr %result, float %a, i32 %b, double %c) {
  %x = fpext float %a to double
  %y = sitofp i32 %b to double
  %xy = fadd double %x, %y
  %sum = fadd double %xy, %c
  %mean = fdiv double %sum, 3.0
  %narrow = fptrunc double %mean to float
  store float %narrow, ptr %result
  ret void
}
