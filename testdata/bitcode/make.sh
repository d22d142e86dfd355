#!/bin/sh
# Compiles the sources beside this file with each clang that Debian 12 and
# apt.llvm.org have to offer: clang-14, clang-16, clang-19, clang-22.
set -eu
cd "$(dirname "$0")"
for v in ${VERSIONS:-14 16 19 22}; do
  clang-$v -target x86_64-unknown-linux-gnu -O2 -g -emit-llvm -c host.c -o host.clang$v.bc
  clang-$v -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -Xclang -target-feature -Xclang +ptx70 -nocudainc -nocudalib -O2 -emit-llvm -c kernel.cu -o cuda.clang$v.bc
  clang-$v -x hip --cuda-gpu-arch=gfx90a --cuda-device-only -nogpuinc -nogpulib -O2 -emit-llvm -c kernel.cu -o hip.clang$v.bc
  clang-$v -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -target spir64-unknown-unknown -O2 -emit-llvm -c kernel.cl -o cl.clang$v.bc
done
