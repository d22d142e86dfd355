; kernel k: lanes: 8 side by side; accesses: 0 for all at once, 3 in a row, 0 tested for that, 4 apart; 2 one by one; 0 masks

%pair = type { i32, i64 }
declare float @tanf(float)
declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, i32 immarg, <8 x i1>)
declare void @llvm.masked.scatter.v8i64.v8p0(<8 x i64>, <8 x ptr>, i32 immarg, <8 x i1>)
declare <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr>, i32 immarg, <8 x i1>, <8 x i32>)
declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32 immarg, <8 x i1>, <8 x float>)
declare i8 @llvm.cttz.i8(i8, i1 immarg)

define internal void @kiln.lanes(ptr %out, ptr %in, i32 %n, ptr %count, i32 %kiln.tid.x, i32 %kiln.tid.y, i32 %kiln.tid.z, i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z) nounwind alwaysinline {
kiln.start:
  %xa = alloca [128 x i8], align 64
  %xp = alloca [128 x i8], align 64
  %s10.mem0 = alloca <8 x i32>, align 64
  %s10.mem100 = alloca <8 x i32>, align 64
  %s16.mem0 = alloca <8 x float>, align 64
  %s16.mem100 = alloca <8 x float>, align 64
  br label %b0
b0:
  %xi = and i32 %n, 3
  %t1 = insertelement <8 x i32> poison, i32 %kiln.tid.x, i64 0
  %t2 = shufflevector <8 x i32> %t1, <8 x i32> poison, <8 x i32> zeroinitializer
  %t3 = add <8 x i32> %t2, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %xj = and <8 x i32> %t3, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %t4 = getelementptr [32 x i8], ptr %xa, i32 %xi
  %xsame = getelementptr i8, ptr %t4, i64 0
  store <8 x float> <float 1.0, float 1.0, float 1.0, float 1.0, float 1.0, float 1.0, float 1.0, float 1.0>, ptr %xsame, align 4
  %t5 = getelementptr i8, ptr %xa, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28>
  %t6 = getelementptr [32 x i8], <8 x ptr> %t5, <8 x i32> %xj
  %xown = getelementptr i8, <8 x ptr> %t6, i64 0
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> <float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0, float 2.0>, <8 x ptr> %xown, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %xv = load <8 x float>, ptr %xsame, align 4
  %xq = getelementptr %pair, ptr %xp, i32 0, i32 1
  %t7 = getelementptr i8, ptr %xq, <8 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112>
  call void @llvm.masked.scatter.v8i64.v8p0(<8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>, <8 x ptr> %t7, i32 8, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  %t8 = getelementptr i8, ptr %xp, <8 x i64> <i64 0, i64 16, i64 32, i64 48, i64 64, i64 80, i64 96, i64 112>
  %xr = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> %t8, i32 8, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i32> poison)
  %xstep = mul i32 %kiln.tid.x, 3
  %xfar = getelementptr float, ptr %in, i32 %xstep
  %t9 = getelementptr i8, ptr %xfar, <8 x i64> <i64 0, i64 12, i64 24, i64 36, i64 48, i64 60, i64 72, i64 84>
  %xw = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %t9, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x float> poison)
  %xs = fadd <8 x float> %xv, %xw
  store <8 x i32> %xr, ptr %s10.mem0
  br label %s10.head
s10.head:
  %s10.left = phi i8 [ -1, %b0 ], [ %s10.next, %s10.body ]
  %t11 = icmp ne i8 %s10.left, 0
  br i1 %t11, label %s10.body, label %s10.end
s10.body:
  %s10.lane = call i8 @llvm.cttz.i8(i8 %s10.left, i1 true)
  %t12 = add i8 %s10.left, -1
  %s10.next = and i8 %s10.left, %t12
  %t13 = zext i8 %s10.lane to i64
  %t14 = getelementptr i32, ptr %s10.mem0, i64 %t13
  %s10.0 = load i32, ptr %t14
  %s10 = atomicrmw add ptr %count, i32 %s10.0 seq_cst, align 4
  %t15 = getelementptr i32, ptr %s10.mem100, i64 %t13
  store i32 %s10, ptr %t15
  br label %s10.head, !llvm.loop !2
s10.end:
  %xold = load <8 x i32>, ptr %s10.mem100
  store <8 x float> %xs, ptr %s16.mem0
  br label %s16.head
s16.head:
  %s16.left = phi i8 [ -1, %s10.end ], [ %s16.next, %s16.body ]
  %t17 = icmp ne i8 %s16.left, 0
  br i1 %t17, label %s16.body, label %s16.end
s16.body:
  %s16.lane = call i8 @llvm.cttz.i8(i8 %s16.left, i1 true)
  %t18 = add i8 %s16.left, -1
  %s16.next = and i8 %s16.left, %t18
  %t19 = zext i8 %s16.lane to i64
  %t20 = getelementptr float, ptr %s16.mem0, i64 %t19
  %s16.0 = load float, ptr %t20
  %s16 = call float @tanf(float %s16.0)
  %t21 = getelementptr float, ptr %s16.mem100, i64 %t19
  store float %s16, ptr %t21
  br label %s16.head, !llvm.loop !3
s16.end:
  %xf = load <8 x float>, ptr %s16.mem100
  %xto = getelementptr float, ptr %out, i32 %kiln.tid.x
  store <8 x float> %xf, ptr %xto, align 4
  br label %end
end:
  ret void
}

define i32 @k(ptr noundef nonnull align 8 dereferenceable(80) %frame) nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" {
entry:
  %v1 = load ptr, ptr %frame, align 8, !invariant.load !4
  %v2 = load ptr, ptr %v1, align 8, !invariant.load !4
  %v3 = getelementptr inbounds i8, ptr %v1, i64 8
  %v4 = load ptr, ptr %v3, align 8, !invariant.load !4
  %v5 = getelementptr inbounds i8, ptr %v1, i64 16
  %v6 = load i32, ptr %v5, align 8, !invariant.load !4
  %v7 = getelementptr inbounds i8, ptr %v1, i64 24
  %v8 = load ptr, ptr %v7, align 8, !invariant.load !4
  %v9 = getelementptr inbounds i8, ptr %frame, i64 24
  %v10 = load i32, ptr %v9, align 4, !invariant.load !4
  %v11 = getelementptr inbounds i8, ptr %frame, i64 28
  %v12 = load i32, ptr %v11, align 4, !invariant.load !4
  %v13 = getelementptr inbounds i8, ptr %frame, i64 32
  %v14 = load i32, ptr %v13, align 4, !invariant.load !4
  %v15 = getelementptr inbounds i8, ptr %frame, i64 8
  %v16 = load i64, ptr %v15, align 8, !invariant.load !4
  %v17 = getelementptr inbounds i8, ptr %frame, i64 16
  %v18 = load i64, ptr %v17, align 8, !invariant.load !4
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
  call void @kiln.lanes(ptr %v2, ptr %v4, i32 %v6, ptr %v8, i32 %cx, i32 %ty, i32 %tz, i32 8, i32 1, i32 1, i32 %gi, i32 %gy, i32 %gz, i32 %v10, i32 %v12, i32 %v14)
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

!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !1}
!3 = distinct !{!3, !1}
!4 = !{}
!5 = distinct !{!5, !1}
!6 = distinct !{!6, !1}
!7 = distinct !{!7, !1}
!8 = distinct !{!8, !1}
