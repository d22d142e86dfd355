; kernel k: lanes: 8 side by side; accesses: 0 for all at once, 3 in a row, 0 tested for that, 0 apart; 0 one by one; 1 masks

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32 immarg, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32 immarg, <8 x i1>)

define internal void @kiln.lanes(ptr %y, ptr %x, float %a, i32 %n, i32 %kiln.tid.x, i32 %kiln.tid.y, i32 %kiln.tid.z, i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z) nounwind alwaysinline {
kiln.start:
  %M1 = alloca <8 x i1>, align 64
  store <8 x i1> zeroinitializer, ptr %M1
  br label %b0
b0:
  %xm = mul i32 %kiln.ctaid.x, %kiln.ntid.x
  %xi = add i32 %xm, %kiln.tid.x
  %t1 = insertelement <8 x i32> poison, i32 %xi, i64 0
  %t2 = shufflevector <8 x i32> %t1, <8 x i32> poison, <8 x i32> zeroinitializer
  %t3 = add <8 x i32> %t2, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %t4 = insertelement <8 x i32> poison, i32 %n, i64 0
  %t5 = shufflevector <8 x i32> %t4, <8 x i32> poison, <8 x i32> zeroinitializer
  %xc = icmp slt <8 x i32> %t3, %t5
  %t6 = xor <8 x i1> %xc, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  store <8 x i1> %xc, ptr %M1
  br label %b1.check
b1.check:
  %t7 = load <8 x i1>, ptr %M1
  %t8 = bitcast <8 x i1> %t7 to i8
  %t9 = icmp ne i8 %t8, 0
  br i1 %t9, label %b1, label %b2
b1:
  %m1 = load <8 x i1>, ptr %M1
  store <8 x i1> zeroinitializer, ptr %M1
  %xj = sext i32 %xi to i64
  %xpx = getelementptr float, ptr %x, i64 %xj
  %xvx = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %xpx, i32 4, <8 x i1> %m1, <8 x float> poison), !tbaa !0
  %xpy = getelementptr float, ptr %y, i64 %xj
  %xvy = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %xpy, i32 4, <8 x i1> %m1, <8 x float> poison), !tbaa !0
  %t10 = insertelement <8 x float> poison, float %a, i64 0
  %t11 = shufflevector <8 x float> %t10, <8 x float> poison, <8 x i32> zeroinitializer
  %xp = fmul contract <8 x float> %t11, %xvx
  %xr = fadd contract <8 x float> %xp, %xvy
  call void @llvm.masked.store.v8f32.p0(<8 x float> %xr, ptr %xpy, i32 4, <8 x i1> %m1), !tbaa !0
  br label %b2
b2:
  br label %end
end:
  ret void
}

define i32 @k(ptr noundef nonnull align 8 dereferenceable(80) %frame) nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" {
entry:
  %v1 = load ptr, ptr %frame, align 8, !invariant.load !3
  %v2 = load ptr, ptr %v1, align 8, !invariant.load !3
  %v3 = getelementptr inbounds i8, ptr %v1, i64 8
  %v4 = load ptr, ptr %v3, align 8, !invariant.load !3
  %v5 = getelementptr inbounds i8, ptr %v1, i64 16
  %v6 = load float, ptr %v5, align 8, !invariant.load !3
  %v7 = getelementptr inbounds i8, ptr %v1, i64 24
  %v8 = load i32, ptr %v7, align 8, !invariant.load !3
  %v9 = getelementptr inbounds i8, ptr %frame, i64 24
  %v10 = load i32, ptr %v9, align 4, !invariant.load !3
  %v11 = getelementptr inbounds i8, ptr %frame, i64 28
  %v12 = load i32, ptr %v11, align 4, !invariant.load !3
  %v13 = getelementptr inbounds i8, ptr %frame, i64 32
  %v14 = load i32, ptr %v13, align 4, !invariant.load !3
  %v15 = getelementptr inbounds i8, ptr %frame, i64 8
  %v16 = load i64, ptr %v15, align 8, !invariant.load !3
  %v17 = getelementptr inbounds i8, ptr %frame, i64 16
  %v18 = load i64, ptr %v17, align 8, !invariant.load !3
  %v19 = zext i32 %v10 to i64
  %v20 = zext i32 %v12 to i64
  %v21 = udiv i64 %v16, %v19
  %v22 = urem i64 %v16, %v19
  %v23 = trunc i64 %v22 to i32
  %v24 = urem i64 %v21, %v20
  %v25 = trunc i64 %v24 to i32
  %v26 = udiv i64 %v21, %v20
  %v27 = trunc i64 %v26 to i32
  br label %groups
groups:
  %g = phi i64 [ %v16, %entry ], [ %g.next, %group.end ]
  %gx = phi i32 [ %v23, %entry ], [ %gx.next, %group.end ]
  %gy = phi i32 [ %v25, %entry ], [ %gy.next, %group.end ]
  %gz = phi i32 [ %v27, %entry ], [ %gz.next, %group.end ]
  %more = icmp ult i64 %g, %v18
  br i1 %more, label %group, label %done
group:
  %v28 = sub nuw i64 %v18, %g
  %v29 = sub nuw i32 %v10, %gx
  %v30 = zext i32 %v29 to i64
  %v31 = icmp ult i64 %v28, %v30
  %v32 = select i1 %v31, i64 %v28, i64 %v30
  %v33 = trunc i64 %v32 to i32
  %gx.stop = add nuw i32 %gx, %v33
  %g.next = add nuw i64 %g, %v32
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
  call void @kiln.lanes(ptr %v2, ptr %v4, float %v6, i32 %v8, i32 %cx, i32 %ty, i32 %tz, i32 8, i32 1, i32 1, i32 %gi, i32 %gy, i32 %gz, i32 %v10, i32 %v12, i32 %v14)
  %cx.next = add nuw i32 %cx, 8
  %cx.more = icmp ult i32 %cx.next, 8
  br i1 %cx.more, label %chunk, label %gi.end, !llvm.loop !5
gi.end:
  %gi.next = add nuw i32 %gi, 1
  %gi.more = icmp ult i32 %gi.next, %gx.stop
  br i1 %gi.more, label %gi.head, label %ty.end, !llvm.loop !6
ty.end:
  %ty.next = add nuw i32 %ty, 1
  %ty.more = icmp ult i32 %ty.next, 1
  br i1 %ty.more, label %ty.head, label %tz.end, !llvm.loop !7
tz.end:
  %tz.next = add nuw i32 %tz, 1
  %tz.more = icmp ult i32 %tz.next, 1
  br i1 %tz.more, label %tz.head, label %group.end, !llvm.loop !8
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

!0 = !{!1, !1, i64 0}
!1 = !{!"float", !2}
!2 = !{!"root"}
!3 = !{}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !4}
!6 = distinct !{!6, !4}
!7 = distinct !{!7, !4}
!8 = distinct !{!8, !4}
