; The processor that the module was built for gives way to the request's, and
; clang -O0's marks to its level. Other attributes stay.
; kernel: f
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define float @f(float %x) #0 {
  %y = fmul fast float %x, 2.0
  %z = call float @g(float %y)
  ret float %z
}

define internal float @g(float %x) #1 {
  ret float %x
}

attributes #0 = { noinline optnone nounwind "target-cpu"="x86-64" "target-features"="+sse3" "tune-cpu"="generic" "no-nans-fp-math"="true" }
attributes #1 = { noinline nounwind "frame-pointer"="all" }
