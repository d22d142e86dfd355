target triple = "x86_64-unknown-linux-gnu"

define void @nothing(ptr %p, i32 %a, i32 %b, i32 %c, float %d) {
  ret void
}

define i64 @now() {
  %t = call i64 @llvm.readcyclecounter()
  ret i64 %t
}

declare i64 @llvm.readcyclecounter()
