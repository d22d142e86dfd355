; A host function gets its aggregate by the caller's copy, so it stays.
; kernel: f
; const: 0=0100000000000000 1=02000000
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i32 }

define i32 @f(ptr byval(%pair) align 8 %p, i32 %n) {
  %v = load i32, ptr %p
  %r = add i32 %v, %n
  ret i32 %r
}
