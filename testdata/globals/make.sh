#!/bin/sh
# Makes the modules that the tests of variables read, with clang 22.
set -eu
cd "$(dirname "$0")"
clang-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib --cuda-feature=+ptx80 -O1 -emit-llvm -c -o globals.sm_80.bc globals.cu
clang-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib --cuda-feature=+ptx80 -O1 -emit-llvm -c -o functions.sm_80.bc functions.cu
clang-22 -x hip --cuda-device-only --offload-arch=gfx90a -nogpuinc -nogpulib -O1 -emit-llvm -c -o globals.gfx90a.bc globals.cu
clang-22 -O1 -Xclang -disable-llvm-passes -emit-llvm -fno-exceptions -c -o host.bc host.cc
for s in ends constructor; do
  clang-22 -O1 -Xclang -disable-llvm-passes -emit-llvm -fno-exceptions -c -o $s.bc $s.cc
done
