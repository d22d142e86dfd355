#!/bin/sh
# Makes the modules of the layout test, with clang 22.
set -eu
cd "$(dirname "$0")"
clang-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib --cuda-feature=+ptx80 -O1 -emit-llvm -c -o layout.sm_80.bc layout.cu
clang-22 -x hip --cuda-device-only --offload-arch=gfx90a -nogpuinc -nogpulib -O1 -emit-llvm -c -o layout.gfx90a.bc layout.cu
