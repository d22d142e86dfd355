; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i32 }

@argument.2 = private unnamed_addr constant [8 x i8] c"\01\00\00\00\00\00\00\00", align 8

define i32 @kiln.entry.f(ptr %0) #0 {
  %argument.2 = alloca %pair, align 8
  %params = load ptr, ptr %0, align 8
  %2 = load double, ptr %params, align 8
  %3 = getelementptr inbounds i8, ptr %params, i64 24
  %4 = load i32, ptr %3, align 4
  call void @llvm.lifetime.start.p0(ptr %argument.2)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %argument.2, ptr align 8 @argument.2, i64 8, i1 false)
  %v.i = load i32, ptr %argument.2, align 4
  %w.i = sitofp i32 %v.i to double
  %y.i = fadd double %2, %w.i
  call void @llvm.lifetime.end.p0(ptr %argument.2)
  %5 = getelementptr inbounds i8, ptr %params, i64 32
  store double %y.i, ptr %5, align 8
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
