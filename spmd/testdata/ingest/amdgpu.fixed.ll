target datalayout = "e-m:e-i64:64"
target triple = "x86_64-unknown-linux-gnu"
declare noundef range(i32 0, 8) i32 @kiln.ctaid.x() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float)

define void @kiln.kernel(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = bitcast ptr %2 to ptr
  %4 = call i32 @kiln.ctaid.x()
  %"7.e0.w" = call i32 @kiln.ntid.x()
  %"7.e0" = trunc nuw i32 %"7.e0.w" to i16
  %"7.v0" = insertelement <2 x i16> poison, i16 %"7.e0", i32 0
  %"7.e1.w" = call i32 @kiln.ntid.y()
  %"7.e1" = trunc nuw i32 %"7.e1.w" to i16
  %7 = insertelement <2 x i16> %"7.v0", i16 %"7.e1", i32 1
  %10 = call i32 @kiln.items.x()
  %11 = call i32 @kiln.nctaid.x()
  fence seq_cst
  %12 = call float @__ocml_rsqrt_f32(float 2.000000e+00)
  %13 = atomicrmw fadd ptr %0, float %12 monotonic, align 4
  %14 = cmpxchg ptr %0, i32 %10, i32 %11 acquire monotonic, align 4
  ret void
}

define internal i32 @kiln.ntid.x() alwaysinline nounwind {
  ret i32 64
}

define internal i32 @kiln.ntid.y() alwaysinline nounwind {
  ret i32 1
}

define internal i32 @kiln.nctaid.x() alwaysinline nounwind {
  ret i32 8
}

define internal i32 @kiln.items.x() alwaysinline nounwind {
  %t1 = call i32 @kiln.nctaid.x()
  %t2 = call i32 @kiln.ntid.x()
  %t3 = mul nuw i32 %t1, %t2
  ret i32 %t3
}

define internal float @__ocml_rsqrt_f32(float %a0) alwaysinline nounwind {
  %t1 = call float @llvm.sqrt.f32(float %a0)
  %t2 = fdiv float 0x3FF0000000000000, %t1
  ret float %t2
}

attributes #0 = { nounwind }
