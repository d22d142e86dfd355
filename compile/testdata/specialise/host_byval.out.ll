; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i32 }

@argument.0 = private unnamed_addr constant [8 x i8] c"\01\00\00\00\00\00\00\00", align 8

define hidden i32 @f(ptr byval(%pair) align 8 %p, i32 %n) {
  %v = load i32, ptr %p, align 4
  %r = add i32 %v, 2
  ret i32 %r
}
