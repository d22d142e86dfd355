target datalayout = "e-m:e-i64:64"
target triple = "x86_64-unknown-linux-gnu"
%struct.Args = type { ptr, i32 }
@table = internal externally_initialized constant [2 x float] zeroinitializer, align 4
declare noundef range(i32 0, 65535) i32 @kiln.tid.x() nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float)
declare float @llvm.exp2.f32(float)

define void @kiln.kernel(ptr noundef align 8 %0, float noundef %1) #0 !dbg !5 {
  %3 = call range(i32 0, 256) i32 @kiln.tid.x()
  %4 = call float @scale(float noundef %1, i32 %3) #2
  %5 = load ptr, ptr %0, align 8, !tbaa !8
  %6 = getelementptr inbounds float, ptr %5, i32 %3
  %7 = bitcast ptr %6 to ptr
  store float %4, ptr %6, align 4, !tbaa !8
  %8 = atomicrmw add ptr %6, i32 1 monotonic, align 4
  call void @kiln.nvvm.membar.gl()
  ret void
}

define internal float @scale(float %x, i32 %i) alwaysinline #1 {
  %f = load float, ptr bitcast (ptr @table to ptr), align 4
  %s = call float @__nv_sqrtf(float %f)
  %r = call float @kiln.nvvm.ex2.approx.f(float %s)
  ret float %r
}

define internal void @kiln.nvvm.membar.gl() alwaysinline nounwind {
  fence seq_cst
  ret void
}

define internal float @__nv_sqrtf(float %a0) alwaysinline nounwind {
  %t1 = call float @llvm.sqrt.f32(float %a0)
  ret float %t1
}

define internal float @kiln.nvvm.ex2.approx.f(float %a0) alwaysinline nounwind {
  %t1 = call float @llvm.exp2.f32(float %a0)
  ret float %t1
}

attributes #0 = { nounwind mustprogress "no-trapping-math"="true" }
attributes #1 = { nounwind alwaysinline }
attributes #2 = { nounwind }
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "k.cu", directory: "/")
!4 = !DISubroutineType(types: !7)
!5 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!7 = !{null}
!8 = !{!10, !10, i64 0}
!10 = !{!"float", !11}
!11 = !{!"a root"}
