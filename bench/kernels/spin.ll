; Each group notes when it begins and then spends some ticks.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i64 @llvm.nvvm.read.ptx.sreg.clock64()

define ptx_kernel void @spin(ptr %began, i64 %ticks) {
entry:
  %start = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %group = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %slot = getelementptr i64, ptr %began, i32 %group
  store volatile i64 %start, ptr %slot
  br label %loop
loop:
  %now = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %spent = sub i64 %now, %start
  %more = icmp ult i64 %spent, %ticks
  br i1 %more, label %loop, label %done
done:
  ret void
}
