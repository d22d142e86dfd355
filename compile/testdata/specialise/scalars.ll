; Each kind of parameter with a value, and one of each pair without.
; kernel: f
; const: 0=02 2=fe 3=ffff 4=00000000000000800000000000000080 5=007e 6=0100807f 7=000000000000f07f 8=0000000000000000 9=efbeadde00000000
; const: 11=0000803f00000040000040400000c07f 12=0100000000000000ffffffffffffffff 13=07000000000000000000000000000440 14=01
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @f(i1 %yes, i1 %free, i8 %a, i16 %b, i128 %c, half %h, float %nan, double %inf, ptr %null, ptr %p, ptr %out, <4 x float> %v, [2 x i64] %array, { i32, double } %struct, i3 %odd) {
  store i1 %yes, ptr %out
  store volatile i1 %free, ptr %out
  store volatile i8 %a, ptr %out
  store volatile i16 %b, ptr %out
  store volatile i128 %c, ptr %out
  store volatile half %h, ptr %out
  store volatile float %nan, ptr %out
  store volatile double %inf, ptr %out
  store volatile ptr %null, ptr %out
  store volatile ptr %p, ptr %out
  store volatile <4 x float> %v, ptr %out
  store volatile [2 x i64] %array, ptr %out
  store volatile { i32, double } %struct, ptr %out
  store volatile i3 %odd, ptr %out
  ret void
}
