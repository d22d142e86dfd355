define void @kiln.kernel(ptr %out, i32 %most) {
entry:
  %t = call i32 @kiln.tid.x()
  %y = call i32 @kiln.tid.y()
  br label %head

head:                                             ; preds = %next, %entry
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %v = phi i32 [ %t, %entry ], [ %v1, %next ]
  %big = icmp ugt i32 %v, 100
  br i1 %big, label %done, label %next

next:                                             ; preds = %head
  %v1 = mul i32 %v, 3
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %most
  br i1 %more, label %head, label %done

done:                                             ; preds = %next, %head
  %kl = phi i32 [ %k, %head ], [ %k1, %next ]
  %b = add i32 %kl, %y
  %d = udiv i32 1000, %b
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %d, ptr %at, align 4
  ret void
}

declare i32 @kiln.tid.x()
declare i32 @kiln.tid.y()
