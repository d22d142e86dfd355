; A function that is to be inlined at any price, as OpenMP's are, is gone with
; its call.
; kernel: f
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define weak_odr protected i32 @f(i32 %n) alwaysinline {
  %m = mul i32 %n, 3
  ret i32 %m
}
