; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: noinline nounwind
define internal float @g(float %x) #0 {
  ret float %x
}

; Function Attrs: nounwind
define i32 @kiln.entry.f(ptr %0) #1 {
  %params = load ptr, ptr %0, align 8
  %2 = load float, ptr %params, align 4
  %y.i = fmul fast float %2, 2.000000e+00
  %z.i = call float @g(float %y.i)
  %3 = getelementptr inbounds i8, ptr %params, i64 4
  store float %z.i, ptr %3, align 4
  ret i32 0
}

attributes #0 = { noinline nounwind "frame-pointer"="all" "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="1024" }
attributes #1 = { nounwind "no-nans-fp-math"="true" "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="0" }
