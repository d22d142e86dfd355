; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%box = type { [4 x double], i32 }

define i32 @kiln.entry.f(ptr %0) #0 {
  %2 = alloca %box, align 8
  %params = load ptr, ptr %0, align 8
  %3 = load i8, ptr %params, align 1
  %4 = icmp ne i8 %3, 0
  %5 = getelementptr inbounds i8, ptr %params, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds i8, ptr %params, i64 16
  %8 = getelementptr inbounds i8, ptr %params, i64 64
  %9 = load <4 x float>, ptr %8, align 8
  %10 = getelementptr inbounds i8, ptr %params, i64 80
  %11 = load i8, ptr %10, align 1
  call void @llvm.lifetime.start.p0(ptr %2)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %2, ptr align 8 %7, i64 40, i1 false)
  call void @llvm.lifetime.end.p0(ptr %2)
  %12 = zext i1 %4 to i8
  %13 = getelementptr inbounds i8, ptr %params, i64 81
  store i8 %12, ptr %13, align 1
  ret i32 0
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

attributes #0 = { "probe-stack"="inline-asm" "target-cpu"="znver4" "target-features"="-avx512f" "warn-stack-size"="0" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
