; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@kiln.global.0 = external global i32, align 4

define hidden i32 @f() {
  %v = load i32, ptr @kiln.global.0, align 4
  ret i32 %v
}
