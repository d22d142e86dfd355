target datalayout = "e-p:64:64-p3:32:32-p5:32:32-A5-G1"
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %0) #0 {
  %2 = alloca i32, align 4, addrspace(5)
  %3 = addrspacecast ptr addrspace(5) %2 to ptr
  call void @llvm.lifetime.start.p5(ptr addrspace(5) %2)
  %4 = call i32 @llvm.amdgcn.workgroup.id.x()
  %5 = call align 8 dereferenceable(256) ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %6 = getelementptr i8, ptr addrspace(4) %5, i32 12
  %7 = load <2 x i16>, ptr addrspace(4) %6, align 2, !range !0, !invariant.load !1
  %8 = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %9 = getelementptr inbounds nuw i8, ptr addrspace(4) %8, i64 12
  %10 = load i32, ptr addrspace(4) %9, align 4
  %11 = load i32, ptr addrspace(4) %5, align 4
  fence syncscope("workgroup") release
  fence syncscope("agent") seq_cst
  %12 = call float @__ocml_rsqrt_f32(float 2.000000e+00)
  %13 = atomicrmw fadd ptr addrspace(1) %0, float %12 syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !1
  %14 = cmpxchg ptr addrspace(1) %0, i32 %10, i32 %11 syncscope("workgroup") acquire monotonic, align 4
  ret void
}

declare noundef i32 @llvm.amdgcn.workgroup.id.x()
declare noundef align 4 ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare noundef nonnull align 4 ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare void @llvm.lifetime.start.p5(ptr addrspace(5) captures(none))
declare float @__ocml_rsqrt_f32(float)

attributes #0 = { convergent "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx90a" }

!0 = !{i16 1, i16 1025}
!1 = !{}
