target datalayout = "e-m:e-i64:64"
target triple = "x86_64-unknown-linux-gnu"
declare noundef range(i32 0, 2147483647) i32 @kiln.ctaid.z() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65536) i32 @kiln.ntid.z() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @kiln.tid.z() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @kiln.ctaid.y() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65536) i32 @kiln.ntid.y() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @kiln.tid.y() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @kiln.ctaid.x() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65536) i32 @kiln.ntid.x() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @kiln.tid.x() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i1 @llvm.is.fpclass.f32(float, i32)

define void @kiln.kernel(ptr noundef align 4 captures(none) %0, i32 %1) #0 {
  %3 = tail call i64 @_Z13get_global_idj(i32 noundef 0) #1
  %4 = tail call i64 @_Z14get_local_sizej(i32 noundef %1)
  %5 = tail call <4 x float> @_Z4sqrtDv4_f(<4 x float> zeroinitializer)
  %6 = tail call float @_Z6lengthDv4_f(<4 x float> %5)
  %7 = tail call i32 @_Z3maxii(i32 %1, i32 3)
  %8 = tail call i32 @_Z3maxjj(i32 %1, i32 3)
  %9 = tail call i32 @_Z5isnanf(float %6)
  ret void
}

define internal i64 @_Z13get_global_idj(i32 %a0) alwaysinline nounwind {
  %t1 = icmp eq i32 %a0, 2
  %t2 = call i32 @kiln.ctaid.z()
  %t3 = zext i32 %t2 to i64
  %t4 = call i32 @kiln.ntid.z()
  %t5 = zext i32 %t4 to i64
  %t6 = mul nuw nsw i64 %t3, %t5
  %t7 = call i32 @kiln.tid.z()
  %t8 = zext i32 %t7 to i64
  %t9 = add nuw nsw i64 %t6, %t8
  %t10 = select i1 %t1, i64 %t9, i64 0
  %t11 = icmp eq i32 %a0, 1
  %t12 = call i32 @kiln.ctaid.y()
  %t13 = zext i32 %t12 to i64
  %t14 = call i32 @kiln.ntid.y()
  %t15 = zext i32 %t14 to i64
  %t16 = mul nuw nsw i64 %t13, %t15
  %t17 = call i32 @kiln.tid.y()
  %t18 = zext i32 %t17 to i64
  %t19 = add nuw nsw i64 %t16, %t18
  %t20 = select i1 %t11, i64 %t19, i64 %t10
  %t21 = icmp eq i32 %a0, 0
  %t22 = call i32 @kiln.ctaid.x()
  %t23 = zext i32 %t22 to i64
  %t24 = call i32 @kiln.ntid.x()
  %t25 = zext i32 %t24 to i64
  %t26 = mul nuw nsw i64 %t23, %t25
  %t27 = call i32 @kiln.tid.x()
  %t28 = zext i32 %t27 to i64
  %t29 = add nuw nsw i64 %t26, %t28
  %t30 = select i1 %t21, i64 %t29, i64 %t20
  ret i64 %t30
}

define internal i64 @_Z14get_local_sizej(i32 %a0) alwaysinline nounwind {
  %t1 = icmp eq i32 %a0, 2
  %t2 = call i32 @kiln.ntid.z()
  %t3 = zext i32 %t2 to i64
  %t4 = select i1 %t1, i64 %t3, i64 1
  %t5 = icmp eq i32 %a0, 1
  %t6 = call i32 @kiln.ntid.y()
  %t7 = zext i32 %t6 to i64
  %t8 = select i1 %t5, i64 %t7, i64 %t4
  %t9 = icmp eq i32 %a0, 0
  %t10 = call i32 @kiln.ntid.x()
  %t11 = zext i32 %t10 to i64
  %t12 = select i1 %t9, i64 %t11, i64 %t8
  ret i64 %t12
}

define internal float @kiln._Z4sqrtf(float %a0) alwaysinline nounwind {
  %t1 = call float @llvm.sqrt.f32(float %a0)
  ret float %t1
}

define internal <4 x float> @_Z4sqrtDv4_f(<4 x float> %a0) alwaysinline nounwind {
  %t1 = extractelement <4 x float> %a0, i32 0
  %t2 = extractelement <4 x float> %a0, i32 1
  %t3 = extractelement <4 x float> %a0, i32 2
  %t4 = extractelement <4 x float> %a0, i32 3
  %t5 = call float @kiln._Z4sqrtf(float %t1)
  %t6 = call float @kiln._Z4sqrtf(float %t2)
  %t7 = call float @kiln._Z4sqrtf(float %t3)
  %t8 = call float @kiln._Z4sqrtf(float %t4)
  %t9 = insertelement <4 x float> poison, float %t5, i32 0
  %t10 = insertelement <4 x float> %t9, float %t6, i32 1
  %t11 = insertelement <4 x float> %t10, float %t7, i32 2
  %t12 = insertelement <4 x float> %t11, float %t8, i32 3
  ret <4 x float> %t12
}

define internal float @_Z6lengthDv4_f(<4 x float> %a0) alwaysinline nounwind {
  %t1 = extractelement <4 x float> %a0, i32 0
  %t2 = extractelement <4 x float> %a0, i32 1
  %t3 = extractelement <4 x float> %a0, i32 2
  %t4 = extractelement <4 x float> %a0, i32 3
  %t5 = fmul float %t1, %t1
  %t6 = fmul float %t2, %t2
  %t7 = fmul float %t3, %t3
  %t8 = fmul float %t4, %t4
  %t9 = fadd float %t5, %t6
  %t10 = fadd float %t9, %t7
  %t11 = fadd float %t10, %t8
  %t12 = call float @llvm.sqrt.f32(float %t11)
  ret float %t12
}

define internal i32 @_Z3maxii(i32 %a0, i32 %a1) alwaysinline nounwind {
  %t1 = call i32 @llvm.smax.i32(i32 %a0, i32 %a1)
  ret i32 %t1
}

define internal i32 @_Z3maxjj(i32 %a0, i32 %a1) alwaysinline nounwind {
  %t1 = call i32 @llvm.umax.i32(i32 %a0, i32 %a1)
  ret i32 %t1
}

define internal i32 @_Z5isnanf(float %a0) alwaysinline nounwind {
  %t1 = call i1 @llvm.is.fpclass.f32(float %a0, i32 3)
  %t2 = zext i1 %t1 to i32
  ret i32 %t2
}

attributes #0 = { nounwind }
attributes #1 = { nounwind }
