; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @kiln.entry.f(ptr %0) #0 {
  %params = load ptr, ptr %0, align 8
  %2 = load i32, ptr %params, align 4
  %m.i = mul i32 %2, 3
  %3 = getelementptr inbounds i8, ptr %params, i64 4
  store i32 %m.i, ptr %3, align 4
  ret i32 0
}

attributes #0 = { "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="0" }
