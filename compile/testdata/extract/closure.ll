; What the kernel does not reach goes, whatever holds it alive; what it does
; reach becomes local; declarations stay.
; kernel: f
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

$shared_body = comdat any

@table = constant [2 x i32] [i32 3, i32 4]
@state = global i32 7
@unused = global i32 1
@kept = global i32 2
@given = external global i32
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @never], section "llvm.metadata"

@other_name = alias i32 (i32), ptr @shared_body

define weak_odr protected i32 @f(i32 %n) {
  %a = call i32 @shared_body(i32 %n)
  %b = call i32 @other_name(i32 %a)
  %c = load i32, ptr @given
  %d = call i32 @outside(i32 %c)
  %e = add i32 %b, %d
  ret i32 %e
}

define linkonce_odr hidden i32 @shared_body(i32 %n) comdat {
  %p = getelementptr [2 x i32], ptr @table, i64 0, i32 %n
  %a = load i32, ptr %p
  %b = load i32, ptr @state
  %c = add i32 %a, %b
  ret i32 %c
}

define available_externally i32 @outside(i32 %n) {
  ret i32 %n
}

define void @never() {
  store i32 0, ptr @unused
  ret void
}
