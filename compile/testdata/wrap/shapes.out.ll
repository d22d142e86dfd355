; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%box = type { [4 x double], i32 }

define internal zeroext i1 @f(i1 noundef zeroext %flag, ptr noundef readonly %p, ptr byval(%box) align 8 %b, <4 x float> %v, i8 signext %small) #0 {
  ret i1 %flag
}

define i32 @kiln.entry.f(ptr %0) #1 {
  %params = load ptr, ptr %0, align 8
  %2 = load i8, ptr %params, align 1
  %3 = icmp ne i8 %2, 0
  %4 = getelementptr inbounds i8, ptr %params, i64 8
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds i8, ptr %params, i64 16
  %7 = getelementptr inbounds i8, ptr %params, i64 64
  %8 = load <4 x float>, ptr %7, align 8
  %9 = getelementptr inbounds i8, ptr %params, i64 80
  %10 = load i8, ptr %9, align 1
  %11 = call zeroext i1 @f(i1 noundef zeroext %3, ptr noundef readonly %5, ptr byval(%box) align 8 %6, <4 x float> %8, i8 signext %10)
  %12 = zext i1 %11 to i8
  %13 = getelementptr inbounds i8, ptr %params, i64 81
  store i8 %12, ptr %13, align 1
  ret i32 0
}

attributes #0 = { "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="1024" }
attributes #1 = { "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="0" }
