%pair = type { i32, i64 }

define void @kiln.kernel(ptr %out, ptr %in, i32 %n, ptr %count) {
  %a = alloca [4 x float], align 4
  %p = alloca %pair, align 8
  %t = call i32 @kiln.tid.x()
  %i = and i32 %n, 3
  %j = and i32 %t, 3
  %same = getelementptr inbounds [4 x float], ptr %a, i64 0, i32 %i
  store float 1.0, ptr %same, align 4
  %own = getelementptr inbounds [4 x float], ptr %a, i64 0, i32 %j
  store float 2.0, ptr %own, align 4
  %v = load float, ptr %same, align 4
  %q = getelementptr inbounds %pair, ptr %p, i32 0, i32 1
  store i64 7, ptr %q, align 8
  %r = load i32, ptr %p, align 8
  %step = mul nsw i32 %t, 3
  %far = getelementptr float, ptr %in, i32 %step
  %w = load float, ptr %far, align 4
  %s = fadd float %v, %w
  %old = atomicrmw add ptr %count, i32 %r seq_cst, align 4
  %f = call float @tanf(float %s)
  %to = getelementptr inbounds float, ptr %out, i32 %t
  store float %f, ptr %to, align 4
  ret void
}

declare i32 @kiln.tid.x()
declare float @tanf(float)
