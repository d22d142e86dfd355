; OpenCL for a CPU by compilers that mark kernels by metadata alone, with a
; __local argument and a local variable.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@step.tile = internal global [32 x double] undef, align 16
@helper.count = internal global i32 0

define void @step(ptr %0, ptr %1, <3 x float> %2) !kernel_arg_addr_space !1 !kernel_arg_name !2 !reqd_work_group_size !3 {
  %v = load double, ptr @step.tile
  store double %v, ptr %0
  ret void
}

define float @helper(float %x) {
  ret float %x
}

!opencl.ocl.version = !{!0}
!0 = !{i32 1, i32 2}
!1 = !{i32 1, i32 3, i32 0}
!2 = !{!"out", !"scratch", !"v"}
!3 = !{i32 8, i32 4, i32 1}
