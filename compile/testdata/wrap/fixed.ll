; Fixed parameters are passed their value, an aggregate the constant's address;
; the block keeps their places.
; kernel: f
; const: 1=0700000000000000 2=0100000000000000
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i32 }

define double @f(double %x, i64 %n, ptr byval(%pair) align 8 %p, i32 %m) {
  %v = load i32, ptr %p
  %w = sitofp i32 %v to double
  %y = fadd double %x, %w
  ret double %y
}
