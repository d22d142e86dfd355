; The block is a C struct: bool, pointer, aggregate, vector, then the result.
; kernel: f
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%box = type { [4 x double], i32 }

define zeroext i1 @f(i1 noundef zeroext %flag, ptr noundef readonly %p, ptr byval(%box) align 8 %b, <4 x float> %v, i8 signext %small) {
  ret i1 %flag
}
