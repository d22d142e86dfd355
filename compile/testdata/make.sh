#!/bin/sh
# Remakes the bitcode in this folder from host.c, once by each LLVM that is
# tested. Needs clang-19 and clang-22.
set -eu
cd "$(dirname "$0")"
for v in 19 22; do
  clang-$v -target x86_64-unknown-linux-gnu -std=c17 -O1 -emit-llvm -c host.c -o host.$v.bc
done
clang-22 -target x86_64-unknown-linux-gnu -std=c17 -O0 -g -fdebug-compilation-dir=. -emit-llvm -c host.c -o host.22.O0.bc
