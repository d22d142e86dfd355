; Bounds as attributes.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%over = type { i32, [3 x i16] }

define amdgpu_kernel void @flat(ptr addrspace(3) %local, ptr addrspace(4) byref(%over) align 64 %o, i1 %flag, i64 %last) "amdgpu-flat-work-group-size"="64,256" {
  ret void
}

define amdgpu_kernel void @three() "nvvm.maxntid"="8,8,4" {
  ret void
}

define amdgpu_kernel void @exact() "nvvm.reqntid"="16,16" {
  ret void
}

define amdgpu_kernel void @nonsense() "nvvm.maxntid"="8,x" "nvvm.reqntid"="1,2,3,4" "amdgpu-flat-work-group-size"="many" {
  ret void
}

define void @device_function() {
  ret void
}
