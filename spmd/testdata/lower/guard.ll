define void @kiln.kernel(ptr %y, ptr %x, float %a, i32 %n) {
  %g = call i32 @kiln.ctaid.x()
  %s = call i32 @kiln.ntid.x()
  %m = mul i32 %g, %s
  %t = call i32 @kiln.tid.x()
  %i = add i32 %m, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %in, label %out

in:                                               ; preds = %0
  %j = sext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %j
  %vx = load float, ptr %px, align 4, !tbaa !0
  %py = getelementptr inbounds float, ptr %y, i64 %j
  %vy = load float, ptr %py, align 4, !tbaa !0
  %p = fmul contract float %a, %vx
  %r = fadd contract float %p, %vy
  store float %r, ptr %py, align 4, !tbaa !0
  br label %out

out:                                              ; preds = %in, %0
  ret void
}

declare i32 @kiln.ctaid.x()
declare i32 @kiln.ntid.x()
declare i32 @kiln.tid.x()

!0 = !{!1, !1, i64 0}
!1 = !{!"float", !2}
!2 = !{!"root"}
