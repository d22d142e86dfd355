; No parameters, no result, and the entry's name taken.
; kernel: f
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@kiln.entry.f = internal global i32 0

define void @f() {
  store i32 1, ptr @kiln.entry.f
  ret void
}
