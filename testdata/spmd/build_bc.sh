#!/bin/sh
# Compiles every sample to bitcode without CUDA, ROCm or an OpenCL SDK, beside this file.
# Without a CUDA install clang assumes an old PTX version: +ptx80 must be named, or shfl/vote/redux are refused.
set -e; cd "$(dirname "$0")"; :
CLANG=${CLANG:-clang-22}
CU="-x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib --cuda-feature=+ptx80 -emit-llvm -c"
HIP="-x hip --offload-arch=gfx90a --cuda-device-only -nogpuinc -nogpulib -emit-llvm -c"
CLC="-x cl -cl-std=CL2.0 -Xclang -finclude-default-header -emit-llvm -c"
for s in bench features; do
  $CLANG $CU  -O2 $s.cu  -o $s.sm_80.O2.bc
  $CLANG $CU  -O2 -Xclang -disable-llvm-passes $s.cu  -o $s.sm_80.raw.bc      # before any pass, no optnone
  $CLANG $HIP -O2 $s.hip -o $s.gfx90a.O2.bc
  $CLANG $HIP -O2 -Xclang -disable-llvm-passes $s.hip -o $s.gfx90a.raw.bc
done
$CLANG -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib --cuda-feature=+ptx80 -emit-llvm -c -O0 features.cu -o features.sm_80.O0.bc
for t in spir64 amdgcn-amd-amdhsa x86_64-unknown-linux-gnu; do
  $CLANG $CLC -target $t $( [ $t = amdgcn-amd-amdhsa ] && echo -mcpu=gfx90a -nogpulib ) -O2 kernels.cl -o kernels.cl.${t%%-*}.bc 2>/dev/null
done
for f in *.bc; do opt-22 -passes=verify -disable-output "$f"; done
ls -l *.bc
