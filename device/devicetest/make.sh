#!/bin/sh
# Makes the suite's module, as every device is given it, with clang 22.
set -eu
cd "$(dirname "$0")"
clang-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib --cuda-feature=+ptx80 -O1 \
  -Xclang -disable-llvm-passes -emit-llvm -c -o kernels.bc kernels.cu
