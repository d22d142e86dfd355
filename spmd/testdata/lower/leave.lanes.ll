; kernel k: lanes: 8 side by side; accesses: 0 for all at once, 1 in a row, 0 tested for that, 0 apart; 0 one by one; 2 masks


define internal void @kiln.lanes(ptr %out, i32 %most, i32 %kiln.tid.x, i32 %kiln.tid.y, i32 %kiln.tid.z, i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z) nounwind alwaysinline {
kiln.start:
  %M1 = alloca <8 x i1>, align 64
  %M2 = alloca <8 x i1>, align 64
  %xk.p = alloca i32, align 64
  %xv.p = alloca <8 x i32>, align 64
  %xkl.p = alloca <8 x i32>, align 64
  store <8 x i1> zeroinitializer, ptr %M1
  store <8 x i1> zeroinitializer, ptr %M2
  br label %b0
b0:
  store i32 0, ptr %xk.p
  %t1 = insertelement <8 x i32> poison, i32 %kiln.tid.x, i64 0
  %t2 = shufflevector <8 x i32> %t1, <8 x i32> poison, <8 x i32> zeroinitializer
  %t3 = add <8 x i32> %t2, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x i32> %t3, ptr %xv.p
  store <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, ptr %M1
  br label %b1
b1:
  %m1 = load <8 x i1>, ptr %M1
  store <8 x i1> zeroinitializer, ptr %M1
  %xk = load i32, ptr %xk.p
  %xv = load <8 x i32>, ptr %xv.p
  %xbig = icmp ugt <8 x i32> %xv, <i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100, i32 100>
  %t4 = xor <8 x i1> %xbig, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %t5 = select <8 x i1> %m1, <8 x i1> %xbig, <8 x i1> zeroinitializer
  %t6 = select <8 x i1> %m1, <8 x i1> %t4, <8 x i1> zeroinitializer
  %t7 = insertelement <8 x i32> poison, i32 %xk, i64 0
  %t8 = shufflevector <8 x i32> %t7, <8 x i32> poison, <8 x i32> zeroinitializer
  %t9 = load <8 x i32>, ptr %xkl.p
  %t10 = select <8 x i1> %t5, <8 x i32> %t8, <8 x i32> %t9
  store <8 x i32> %t10, ptr %xkl.p
  store <8 x i1> %t6, ptr %M2
  br label %b2.check
b2.check:
  %t11 = load <8 x i1>, ptr %M2
  %t12 = bitcast <8 x i1> %t11 to i8
  %t13 = icmp ne i8 %t12, 0
  br i1 %t13, label %b2, label %b3
b2:
  %m2 = load <8 x i1>, ptr %M2
  store <8 x i1> zeroinitializer, ptr %M2
  %xv1 = mul <8 x i32> %xv, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %xk1 = add nuw nsw i32 %xk, 1
  %xmore = icmp slt i32 %xk1, %most
  br i1 %xmore, label %e2.0, label %e2.1
e2.0:
  store i32 %xk1, ptr %xk.p
  store <8 x i32> %xv1, ptr %xv.p
  %t14 = load <8 x i1>, ptr %M1
  %t15 = or <8 x i1> %t14, %m2
  store <8 x i1> %t15, ptr %M1
  br label %b1
e2.1:
  %t16 = insertelement <8 x i32> poison, i32 %xk1, i64 0
  %t17 = shufflevector <8 x i32> %t16, <8 x i32> poison, <8 x i32> zeroinitializer
  %t18 = load <8 x i32>, ptr %xkl.p
  %t19 = select <8 x i1> %m2, <8 x i32> %t17, <8 x i32> %t18
  store <8 x i32> %t19, ptr %xkl.p
  br label %b3
b3:
  %xkl = load <8 x i32>, ptr %xkl.p
  %t20 = insertelement <8 x i32> poison, i32 %kiln.tid.y, i64 0
  %t21 = shufflevector <8 x i32> %t20, <8 x i32> poison, <8 x i32> zeroinitializer
  %xb = add <8 x i32> %xkl, %t21
  %xd = udiv <8 x i32> <i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000, i32 1000>, %xb
  %xat = getelementptr i32, ptr %out, i32 %kiln.tid.x
  store <8 x i32> %xd, ptr %xat, align 4
  br label %end
end:
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
  %v11 = getelementptr inbounds i8, ptr %frame, i64 8
  %v12 = load i64, ptr %v11, align 8, !invariant.load !1
  %v13 = getelementptr inbounds i8, ptr %frame, i64 16
  %v14 = load i64, ptr %v13, align 8, !invariant.load !1
  %v15 = zext i32 %v6 to i64
  %v16 = zext i32 %v8 to i64
  %v17 = udiv i64 %v12, %v15
  %v18 = urem i64 %v12, %v15
  %v19 = trunc i64 %v18 to i32
  %v20 = urem i64 %v17, %v16
  %v21 = trunc i64 %v20 to i32
  %v22 = udiv i64 %v17, %v16
  %v23 = trunc i64 %v22 to i32
  br label %groups
groups:
  %g = phi i64 [ %v12, %entry ], [ %g.next, %group.end ]
  %gx = phi i32 [ %v19, %entry ], [ %gx.next, %group.end ]
  %gy = phi i32 [ %v21, %entry ], [ %gy.next, %group.end ]
  %gz = phi i32 [ %v23, %entry ], [ %gz.next, %group.end ]
  %more = icmp ult i64 %g, %v14
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
  br label %chunk
chunk:
  %cx = phi i32 [ 0, %gi.body ], [ %cx.next, %chunk ]
  call void @kiln.lanes(ptr %v2, i32 %v4, i32 %cx, i32 %ty, i32 %tz, i32 8, i32 1, i32 1, i32 %gi, i32 %gy, i32 %gz, i32 %v6, i32 %v8, i32 %v10)
  %cx.next = add nuw i32 %cx, 8
  %cx.more = icmp ult i32 %cx.next, 8
  br i1 %cx.more, label %chunk, label %gi.end, !llvm.loop !3
gi.end:
  %gi.next = add nuw i32 %gi, 1
  %gi.more = icmp ult i32 %gi.next, %gx.stop
  br i1 %gi.more, label %gi.head, label %ty.end, !llvm.loop !4
ty.end:
  %ty.next = add nuw i32 %ty, 1
  %ty.more = icmp ult i32 %ty.next, 1
  br i1 %ty.more, label %ty.head, label %tz.end, !llvm.loop !5
tz.end:
  %tz.next = add nuw i32 %tz, 1
  %tz.more = icmp ult i32 %tz.next, 1
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
