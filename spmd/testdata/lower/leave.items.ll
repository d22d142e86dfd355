; kernel k: items: one after the other, for that was asked for


define internal void @kiln.item(ptr %out, i32 %most, i32 %kiln.tid.x, i32 %kiln.tid.y, i32 %kiln.tid.z, i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z) nounwind alwaysinline {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %v = phi i32 [ %kiln.tid.x, %entry ], [ %v1, %next ]
  %big = icmp ugt i32 %v, 100
  br i1 %big, label %done, label %next
next:
  %v1 = mul i32 %v, 3
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %most
  br i1 %more, label %head, label %done
done:
  %kl = phi i32 [ %k, %head ], [ %k1, %next ]
  %b = add i32 %kl, %kiln.tid.y
  %d = udiv i32 1000, %b
  %at = getelementptr i32, ptr %out, i32 %kiln.tid.x
  store i32 %d, ptr %at, align 4
  ret void
}

define i32 @k(ptr noundef nonnull align 8 dereferenceable(80) %frame) nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" {
entry:
  %v1 = load ptr, ptr %frame, align 8, !invariant.load !1
  %v2 = load ptr, ptr %v1, align 8, !invariant.load !1
  %v3 = getelementptr inbounds i8, ptr %v1, i64 8
  %v4 = load i32, ptr %v3, align 8, !invariant.load !1
  %v5 = getelementptr inbounds i8, ptr %frame, i64 24
  %v6 = load i32, ptr %v5, align 4, !invariant.load !1
  %v7 = getelementptr inbounds i8, ptr %frame, i64 28
  %v8 = load i32, ptr %v7, align 4, !invariant.load !1
  %v9 = getelementptr inbounds i8, ptr %frame, i64 32
  %v10 = load i32, ptr %v9, align 4, !invariant.load !1
  %v11 = getelementptr inbounds i8, ptr %frame, i64 36
  %v12 = load i32, ptr %v11, align 4, !invariant.load !1
  %v13 = getelementptr inbounds i8, ptr %frame, i64 40
  %v14 = load i32, ptr %v13, align 4, !invariant.load !1
  %v15 = getelementptr inbounds i8, ptr %frame, i64 44
  %v16 = load i32, ptr %v15, align 4, !invariant.load !1
  %v17 = getelementptr inbounds i8, ptr %frame, i64 8
  %v18 = load i64, ptr %v17, align 8, !invariant.load !1
  %v19 = getelementptr inbounds i8, ptr %frame, i64 16
  %v20 = load i64, ptr %v19, align 8, !invariant.load !1
  %v21 = zext i32 %v6 to i64
  %v22 = zext i32 %v8 to i64
  %v23 = udiv i64 %v18, %v21
  %v24 = urem i64 %v18, %v21
  %v25 = trunc i64 %v24 to i32
  %v26 = urem i64 %v23, %v22
  %v27 = trunc i64 %v26 to i32
  %v28 = udiv i64 %v23, %v22
  %v29 = trunc i64 %v28 to i32
  br label %groups
groups:
  %g = phi i64 [ %v18, %entry ], [ %g.next, %group.end ]
  %gx = phi i32 [ %v25, %entry ], [ %gx.next, %group.end ]
  %gy = phi i32 [ %v27, %entry ], [ %gy.next, %group.end ]
  %gz = phi i32 [ %v29, %entry ], [ %gz.next, %group.end ]
  %more = icmp ult i64 %g, %v20
  br i1 %more, label %group, label %done
group:
  %gx.stop = add nuw i32 %gx, 1
  %g.next = add nuw i64 %g, 1
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
  call void @kiln.item(ptr %v2, i32 %v4, i32 %tx, i32 %ty, i32 %tz, i32 %v12, i32 %v14, i32 %v16, i32 %gi, i32 %gy, i32 %gz, i32 %v6, i32 %v8, i32 %v10)
  %tx.next = add nuw i32 %tx, 1
  %tx.more = icmp ult i32 %tx.next, %v12
  br i1 %tx.more, label %tx.body, label %gi.end, !llvm.loop !3
gi.end:
  %gi.next = add nuw i32 %gi, 1
  %gi.more = icmp ult i32 %gi.next, %gx.stop
  br i1 %gi.more, label %gi.head, label %ty.end, !llvm.loop !4
ty.end:
  %ty.next = add nuw i32 %ty, 1
  %ty.more = icmp ult i32 %ty.next, %v14
  br i1 %ty.more, label %ty.head, label %tz.end, !llvm.loop !5
tz.end:
  %tz.next = add nuw i32 %tz, 1
  %tz.more = icmp ult i32 %tz.next, %v16
  br i1 %tz.more, label %tz.head, label %group.end, !llvm.loop !6
group.end:
  %x.wrap = icmp eq i32 %gx.stop, %v6
  %gx.next = select i1 %x.wrap, i32 0, i32 %gx.stop
  %gy.inc = add nuw i32 %gy, 1
  %gy.up = select i1 %x.wrap, i32 %gy.inc, i32 %gy
  %y.wrap = icmp eq i32 %gy.up, %v8
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
