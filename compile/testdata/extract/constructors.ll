; A host module's constructors run once, in the image of its variables, not in a kernel's.
; kernel: f
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@value = global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @set, ptr null }]

define internal void @set() {
  store i32 5, ptr @value
  ret void
}

define i32 @f() {
  %v = load i32, ptr @value
  ret i32 %v
}
