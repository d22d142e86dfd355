target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Args = type { ptr addrspace(1), i32 }

@table = addrspace(4) externally_initialized constant [2 x float] zeroinitializer, align 4
@unused = addrspace(1) global i32 0
@text = private unnamed_addr constant [15 x i8] c"addrspace(3) @x"
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @unused to ptr)], section "llvm.metadata"

define dso_local ptx_kernel void @k(ptr noundef byval(%struct.Args) align 8 %0, float noundef %1) #0 !dbg !5 {
  %3 = call range(i32 0, 256) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = call float @scale(float noundef %1, i32 %3) #2
  %5 = load ptr addrspace(1), ptr %0, align 8, !tbaa !8
  %6 = getelementptr inbounds float, ptr addrspace(1) %5, i32 %3
  %7 = addrspacecast ptr addrspace(1) %6 to ptr
  call void @llvm.lifetime.start.p0(ptr %7)
  store float %4, ptr addrspace(1) %6, align 4, !tbaa !8, !noalias.addrspace !9
  %8 = atomicrmw add ptr addrspace(1) %6, i32 1 syncscope("device") monotonic, align 4
  call void @llvm.nvvm.membar.gl()
  ret void
}

define linkonce_odr hidden float @scale(float %x, i32 %i) #1 comdat {
  %f = load float, ptr addrspacecast (ptr addrspace(4) @table to ptr), align 4
  %s = call float @__nv_sqrtf(float %f)
  %r = call float @llvm.nvvm.ex2.approx.f(float %s)
  ret float %r
}

define void @never() {
  call void @missing()
  ret void
}

$scale = comdat any

declare void @missing()
declare float @__nv_sqrtf(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.lifetime.start.p0(ptr captures(none))

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "nvvm.maxntid"="256" "target-cpu"="sm_80" "target-features"="+ptx80,+sm_80" }
attributes #1 = { alwaysinline convergent memory(none) }
attributes #2 = { convergent nounwind }

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!llvm.ident = !{!3}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "k.cu", directory: "/")
!3 = !{!"clang"}
!4 = !DISubroutineType(types: !7)
!5 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!7 = !{null}
!8 = !{!10, !10, i64 0}
!9 = !{i32 5, i32 6}
!10 = !{!"float", !11}
!11 = !{!"a root"}
