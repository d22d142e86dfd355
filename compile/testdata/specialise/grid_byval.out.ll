; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, i32 }

@argument.0 = private unnamed_addr constant [8 x i8] c"\01\00\00\00\02\00\00\00", align 4
@argument.1 = private unnamed_addr constant [8 x i8] c"\03\00\00\00\04\00\00\00", align 4

define hidden ptx_kernel void @k(ptr byval(%pair) align 4 %written, ptr readonly byval(%pair) align 4 %read, ptr %out) {
  %1 = alloca [8 x i8], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %1, ptr align 4 @argument.0, i64 8, i1 false)
  store i32 9, ptr %1, align 4
  %a = load i32, ptr %1, align 4
  %b = load i32, ptr @argument.1, align 4
  %c = add i32 %a, %b
  store i32 %c, ptr %out, align 4
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0

attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
