; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define hidden void @f(i1 %yes, i1 %free, i8 %a, i16 %b, i128 %c, half %h, float %nan, double %inf, ptr %null, ptr %p, ptr %out, <4 x float> %v, [2 x i64] %array, { i32, double } %struct, i3 %odd) {
  store i1 true, ptr %out, align 1
  store volatile i1 %free, ptr %out, align 1
  store volatile i8 -2, ptr %out, align 1
  store volatile i16 -1, ptr %out, align 2
  store volatile i128 -170141183460469231722463931679029329920, ptr %out, align 16
  store volatile half 0xH7E00, ptr %out, align 2
  store volatile float 0x7FF0000020000000, ptr %out, align 4
  store volatile double 0x7FF0000000000000, ptr %out, align 8
  store volatile ptr null, ptr %out, align 8
  store volatile ptr inttoptr (i64 3735928559 to ptr), ptr %out, align 8
  store volatile <4 x float> <float 1.000000e+00, float 2.000000e+00, float 3.000000e+00, float 0x7FF8000000000000>, ptr %out, align 16
  store volatile [2 x i64] [i64 1, i64 -1], ptr %out, align 8
  store volatile { i32, double } { i32 7, double 2.500000e+00 }, ptr %out, align 8
  store volatile i3 1, ptr %out, align 1
  ret void
}
