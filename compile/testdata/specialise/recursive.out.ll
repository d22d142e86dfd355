; ModuleID = 'test'
source_filename = "test"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define hidden i32 @f(i32 %n) {
  %stop = icmp slt i32 %n, 1
  br i1 %stop, label %end, label %more

more:                                             ; preds = %0
  %m = sub i32 %n, 1
  %r = call i32 @f(i32 %m)
  ret i32 %r

end:                                              ; preds = %0
  ret i32 %n
}
