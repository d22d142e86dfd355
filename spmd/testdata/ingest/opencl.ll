target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define dso_local spir_kernel void @k(ptr noundef align 4 captures(none) %0, i32 %1) #0 !kernel_arg_addr_space !0 {
  %3 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #1
  %4 = tail call i64 @_Z14get_local_sizej(i32 noundef %1)
  %5 = tail call spir_func <4 x float> @_Z4sqrtDv4_f(<4 x float> zeroinitializer)
  %6 = tail call float @_Z6lengthDv4_f(<4 x float> %5)
  %7 = tail call i32 @_Z3maxii(i32 %1, i32 3)
  %8 = tail call i32 @_Z3maxjj(i32 %1, i32 3)
  %9 = tail call i32 @_Z5isnanf(float %6)
  ret void
}

declare i64 @_Z13get_global_idj(i32 noundef) #1
declare i64 @_Z14get_local_sizej(i32 noundef) #1
declare spir_func <4 x float> @_Z4sqrtDv4_f(<4 x float>)
declare float @_Z6lengthDv4_f(<4 x float>)
declare i32 @_Z3maxii(i32, i32)
declare i32 @_Z3maxjj(i32, i32)
declare i32 @_Z5isnanf(float)

attributes #0 = { convergent norecurse nounwind uwtable "min-legal-vector-width"="0" "target-cpu"="x86-64" "uniform-work-group-size"="false" }
attributes #1 = { convergent nounwind willreturn memory(none) }

!0 = !{i32 1}
