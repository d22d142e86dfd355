; kernel k: items: one after the other, for that was asked for

%pair = type { i32, i64 }
declare float @tanf(float)

define internal void @kiln.item(ptr %out, ptr %in, i32 %n, ptr %count, i32 %kiln.tid.x, i32 %kiln.tid.y, i32 %kiln.tid.z, i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z) nounwind alwaysinline {
0:
  %a = alloca [4 x float], align 4
  %p = alloca %pair, align 8
  %i = and i32 %n, 3
  %j = and i32 %kiln.tid.x, 3
  %same = getelementptr inbounds [4 x float], ptr %a, i64 0, i32 %i
  store float 1.0, ptr %same, align 4
  %own = getelementptr inbounds [4 x float], ptr %a, i64 0, i32 %j
  store float 2.0, ptr %own, align 4
  %v = load float, ptr %same, align 4
  %q = getelementptr inbounds %pair, ptr %p, i32 0, i32 1
  store i64 7, ptr %q, align 8
  %r = load i32, ptr %p, align 8
  %step = mul nsw i32 %kiln.tid.x, 3
  %far = getelementptr float, ptr %in, i32 %step
  %w = load float, ptr %far, align 4
  %s = fadd float %v, %w
  %old = atomicrmw add ptr %count, i32 %r seq_cst, align 4
  %f = call float @tanf(float %s)
  %to = getelementptr inbounds float, ptr %out, i32 %kiln.tid.x
  store float %f, ptr %to, align 4
  ret void
}

define i32 @k(ptr noundef nonnull align 8 dereferenceable(80) %frame) nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" {
entry:
  %v1 = load ptr, ptr %frame, align 8, !invariant.load !1
  %v2 = load ptr, ptr %v1, align 8, !invariant.load !1
  %v3 = getelementptr inbounds i8, ptr %v1, i64 8
  %v4 = load ptr, ptr %v3, align 8, !invariant.load !1
  %v5 = getelementptr inbounds i8, ptr %v1, i64 16
  %v6 = load i32, ptr %v5, align 8, !invariant.load !1
  %v7 = getelementptr inbounds i8, ptr %v1, i64 24
  %v8 = load ptr, ptr %v7, align 8, !invariant.load !1
  %v9 = getelementptr inbounds i8, ptr %frame, i64 24
  %v10 = load i32, ptr %v9, align 4, !invariant.load !1
  %v11 = getelementptr inbounds i8, ptr %frame, i64 28
  %v12 = load i32, ptr %v11, align 4, !invariant.load !1
  %v13 = getelementptr inbounds i8, ptr %frame, i64 32
  %v14 = load i32, ptr %v13, align 4, !invariant.load !1
  %v15 = getelementptr inbounds i8, ptr %frame, i64 36
  %v16 = load i32, ptr %v15, align 4, !invariant.load !1
  %v17 = getelementptr inbounds i8, ptr %frame, i64 40
  %v18 = load i32, ptr %v17, align 4, !invariant.load !1
  %v19 = getelementptr inbounds i8, ptr %frame, i64 44
  %v20 = load i32, ptr %v19, align 4, !invariant.load !1
  %v21 = getelementptr inbounds i8, ptr %frame, i64 8
  %v22 = load i64, ptr %v21, align 8, !invariant.load !1
  %v23 = getelementptr inbounds i8, ptr %frame, i64 16
  %v24 = load i64, ptr %v23, align 8, !invariant.load !1
  %v25 = zext i32 %v10 to i64
  %v26 = zext i32 %v12 to i64
  %v27 = udiv i64 %v22, %v25
  %v28 = urem i64 %v22, %v25
  %v29 = trunc i64 %v28 to i32
  %v30 = urem i64 %v27, %v26
  %v31 = trunc i64 %v30 to i32
  %v32 = udiv i64 %v27, %v26
  %v33 = trunc i64 %v32 to i32
  br label %groups
groups:
  %g = phi i64 [ %v22, %entry ], [ %g.next, %group.end ]
  %gx = phi i32 [ %v29, %entry ], [ %gx.next, %group.end ]
  %gy = phi i32 [ %v31, %entry ], [ %gy.next, %group.end ]
  %gz = phi i32 [ %v33, %entry ], [ %gz.next, %group.end ]
  %more = icmp ult i64 %g, %v24
  br i1 %more, label %group, label %done
group:
  %v34 = sub nuw i64 %v24, %g
  %v35 = sub nuw i32 %v10, %gx
  %v36 = zext i32 %v35 to i64
  %v37 = icmp ult i64 %v34, %v36
  %v38 = select i1 %v37, i64 %v34, i64 %v36
  %v39 = trunc i64 %v38 to i32
  %gx.stop = add nuw i32 %gx, %v39
  %g.next = add nuw i64 %g, %v38
  br label %tz.head
tz.head:
  %tz = phi i32 [ 0, %group ], [ %tz.next, %tz.end ]
  br label %tz.body
tz.body:
  br label %ty.head
ty.head:
  %ty = phi i32 [ 0, %tz.body ], [ %ty.next, %ty.end ]
  br label %ty.body
ty.body:
  br label %gi.head
gi.head:
  %gi = phi i32 [ %gx, %ty.body ], [ %gi.next, %gi.end ]
  br label %gi.body
gi.body:
  br label %tx.body
tx.body:
  %tx = phi i32 [ 0, %gi.body ], [ %tx.next, %tx.body ]
  call void @kiln.item(ptr %v2, ptr %v4, i32 %v6, ptr %v8, i32 %tx, i32 %ty, i32 %tz, i32 %v16, i32 %v18, i32 %v20, i32 %gi, i32 %gy, i32 %gz, i32 %v10, i32 %v12, i32 %v14)
  %tx.next = add nuw i32 %tx, 1
  %tx.more = icmp ult i32 %tx.next, %v16
  br i1 %tx.more, label %tx.body, label %gi.end, !llvm.loop !3
gi.end:
  %gi.next = add nuw i32 %gi, 1
  %gi.more = icmp ult i32 %gi.next, %gx.stop
  br i1 %gi.more, label %gi.head, label %ty.end, !llvm.loop !4
ty.end:
  %ty.next = add nuw i32 %ty, 1
  %ty.more = icmp ult i32 %ty.next, %v18
  br i1 %ty.more, label %ty.head, label %tz.end, !llvm.loop !5
tz.end:
  %tz.next = add nuw i32 %tz, 1
  %tz.more = icmp ult i32 %tz.next, %v20
  br i1 %tz.more, label %tz.head, label %group.end, !llvm.loop !6
group.end:
  %x.wrap = icmp eq i32 %gx.stop, %v10
  %gx.next = select i1 %x.wrap, i32 0, i32 %gx.stop
  %gy.inc = add nuw i32 %gy, 1
  %gy.up = select i1 %x.wrap, i32 %gy.inc, i32 %gy
  %y.wrap = icmp eq i32 %gy.up, %v12
  %gy.next = select i1 %y.wrap, i32 0, i32 %gy.up
  %gz.inc = add i32 %gz, 1
  %gz.next = select i1 %y.wrap, i32 %gz.inc, i32 %gz
  br label %groups
done:
  ret i32 0
}

!1 = !{}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !2}
!4 = distinct !{!4, !2}
!5 = distinct !{!5, !2}
!6 = distinct !{!6, !2}
