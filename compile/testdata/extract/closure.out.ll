; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@table = internal constant [2 x i32] [i32 3, i32 4]
@given = external global i32
@kiln.global.1 = external global i32, align 4

@other_name = internal alias i32 (i32), ptr @shared_body

define hidden i32 @f(i32 %n) {
  %a = call i32 @shared_body(i32 %n)
  %b = call i32 @other_name(i32 %a)
  %c = load i32, ptr @given, align 4
  %d = call i32 @outside(i32 %c)
  %e = add i32 %b, %d
  ret i32 %e
}

define internal i32 @shared_body(i32 %n) {
  %p = getelementptr [2 x i32], ptr @table, i64 0, i32 %n
  %a = load i32, ptr %p, align 4
  %b = load i32, ptr @kiln.global.1, align 4
  %c = add i32 %a, %b
  ret i32 %c
}

define available_externally i32 @outside(i32 %n) {
  ret i32 %n
}
