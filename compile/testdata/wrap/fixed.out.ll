; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i32 }

@kiln.argument.2 = private unnamed_addr constant [8 x i8] c"\01\00\00\00\00\00\00\00", align 8

define internal double @f(double %x, i64 %n, ptr byval(%pair) align 8 %p, i32 %m) #0 {
  %v = load i32, ptr %p, align 4
  %w = sitofp i32 %v to double
  %y = fadd double %x, %w
  ret double %y
}

define i32 @kiln.entry.f(ptr %0) #1 {
  %params = load ptr, ptr %0, align 8
  %2 = load double, ptr %params, align 8
  %3 = getelementptr inbounds i8, ptr %params, i64 24
  %4 = load i32, ptr %3, align 4
  %5 = call double @f(double %2, i64 7, ptr byval(%pair) align 8 @kiln.argument.2, i32 %4)
  %6 = getelementptr inbounds i8, ptr %params, i64 32
  store double %5, ptr %6, align 8
  ret i32 0
}

attributes #0 = { "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="1024" }
attributes #1 = { "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="0" }
