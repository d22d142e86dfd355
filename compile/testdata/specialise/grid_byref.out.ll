; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%pair = type { i32, i32 }

@argument.0 = private unnamed_addr addrspace(4) constant [8 x i8] c"\01\00\00\00\02\00\00\00", align 8

define hidden amdgpu_kernel void @k(ptr addrspace(4) byref(%pair) align 8 %p, ptr addrspace(1) %out) {
  %q = getelementptr %pair, ptr addrspace(4) @argument.0, i64 0, i32 1
  %v = load i32, ptr addrspace(4) %q, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
