; What runs the items of one group as coroutines. Each item has a slot, in the
; order of their numbers; a warp's items lie side by side.

; state, operation, lane, items, tag, value, result, handle
%kiln.slot = type { i32, i32, i32, i32, i64, i64, i64, ptr }

; States: 0 can run or runs, 1 at a barrier, 2 in a warp operation, 3 at a site of one,
; 4 has returned. The tag is the barrier's id, the warp operation's mask or the
; site's number: those with the same state and tag meet.
; Operations: 0 nothing, 1 read a lane, 2 ballot, 3 match, 4 add, 5 and, 6 or,
; 7 xor, 8 smin, 9 smax, 10 umin, 11 umax, 12 who is here.

declare void @llvm.coro.resume(ptr)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i32 @llvm.umin.i32(i32, i32)

define internal void @kiln.wait(ptr %slot, i32 %state, i32 %op, i32 %lane, i32 %items, i64 %tag, i64 %value) alwaysinline nounwind {
  %p.op = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 1
  %p.lane = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 2
  %p.items = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 3
  %p.tag = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 4
  %p.value = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 5
  store i32 %state, ptr %slot
  store i32 %op, ptr %p.op
  store i32 %lane, ptr %p.lane
  store i32 %items, ptr %p.items
  store i64 %tag, ptr %p.tag
  store i64 %value, ptr %p.value
  ret void
}

define internal i64 @kiln.result(ptr %slot) alwaysinline nounwind {
  %p = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 6
  %v = load i64, ptr %p
  ret i64 %v
}

define internal i64 @kiln.combine(i32 %op, i64 %a, i64 %b) noinline minsize optsize nounwind {
  switch i32 %op, label %or [
    i32 4, label %add
    i32 5, label %and
    i32 7, label %xor
    i32 8, label %smin
    i32 9, label %smax
    i32 10, label %umin
    i32 11, label %umax
  ]
add:
  %sum = add i64 %a, %b
  ret i64 %sum
and:
  %both = and i64 %a, %b
  ret i64 %both
or:
  %any = or i64 %a, %b
  ret i64 %any
xor:
  %odd = xor i64 %a, %b
  ret i64 %odd
smin:
  %least = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  ret i64 %least
smax:
  %most = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  ret i64 %most
umin:
  %lowest = call i64 @llvm.umin.i64(i64 %a, i64 %b)
  ret i64 %lowest
umax:
  %highest = call i64 @llvm.umax.i64(i64 %a, i64 %b)
  ret i64 %highest
}

; The slot of item %i.
define internal ptr @kiln.at(ptr %slots, i32 %i) alwaysinline nounwind {
  %wide = zext i32 %i to i64
  %p = getelementptr inbounds %kiln.slot, ptr %slots, i64 %wide
  ret ptr %p
}

; Whether the item of the slot waits in that state with that tag.
define internal i1 @kiln.waits(ptr %slot, i32 %state, i64 %tag) alwaysinline nounwind {
  %s = load i32, ptr %slot
  %p = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 4
  %t = load i64, ptr %p
  %same.state = icmp eq i32 %s, %state
  %same.tag = icmp eq i64 %t, %tag
  %is = and i1 %same.state, %same.tag
  ret i1 %is
}

; How many of the %n items wait in that state with that tag.
define internal i32 @kiln.count(ptr %slots, i32 %n, i32 %state, i64 %tag) noinline minsize optsize nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %count.next, %loop ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %is = call i1 @kiln.waits(ptr %slot, i32 %state, i64 %tag)
  %one = zext i1 %is to i32
  %count.next = add i32 %count, %one
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %count.next
}

; How many of the %n items have not returned.
define internal i32 @kiln.live(ptr %slots, i32 %n) noinline minsize optsize nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %count.next, %loop ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %state = load i32, ptr %slot
  %is = icmp ne i32 %state, 4
  %one = zext i1 %is to i32
  %count.next = add i32 %count, %one
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %count.next
}

; Which of the 64 lanes at most bring the same value as the one of the slot.
define internal i64 @kiln.alike(ptr %slots, i32 %n, i64 %met, i64 %value) noinline minsize optsize nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %mask = phi i64 [ 0, %entry ], [ %mask.next, %loop ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %p.value = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 5
  %v = load i64, ptr %p.value
  %is = icmp eq i64 %v, %value
  %one = zext i1 %is to i64
  %wide = zext i32 %i to i64
  %bit = shl i64 %one, %wide
  %mask.next = or i64 %mask, %bit
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  %alike = and i64 %mask.next, %met
  ret i64 %alike
}

; The value of a lane among those that met, else the reader's own.
define internal i64 @kiln.read(ptr %slots, i32 %n, i64 %met, ptr %reader) noinline minsize optsize nounwind {
  %p.lane = getelementptr inbounds %kiln.slot, ptr %reader, i64 0, i32 2
  %lane = load i32, ptr %p.lane
  %there = icmp ult i32 %lane, %n
  %inside = select i1 %there, i32 %lane, i32 0
  %wide = zext i32 %inside to i64
  %rest = lshr i64 %met, %wide
  %bit = trunc i64 %rest to i1
  %ok = and i1 %there, %bit
  %other = call ptr @kiln.at(ptr %slots, i32 %inside)
  %from = select i1 %ok, ptr %other, ptr %reader
  %p.value = getelementptr inbounds %kiln.slot, ptr %from, i64 0, i32 5
  %value = load i64, ptr %p.value
  ret i64 %value
}

; Lets all that wait in that state with that tag go on, with their results.
define internal void @kiln.release(ptr %slots, i32 %n, i32 %state, i64 %tag) noinline minsize optsize nounwind {
entry:
  br label %gather
gather:
  %i = phi i32 [ 0, %entry ], [ %i.next, %gathered ]
  %met = phi i64 [ 0, %entry ], [ %met.next, %gathered ]
  %odd = phi i64 [ 0, %entry ], [ %odd.next, %gathered ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %gathered ]
  %first = phi i1 [ true, %entry ], [ %first.next, %gathered ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %in = call i1 @kiln.waits(ptr %slot, i32 %state, i64 %tag)
  br i1 %in, label %take, label %gathered
take:
  %place = and i32 %i, 63
  %place.wide = zext i32 %place to i64
  %bit = shl i64 1, %place.wide
  %met.more = or i64 %met, %bit
  %p.value = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 5
  %value = load i64, ptr %p.value
  %low = and i64 %value, 1
  %low.bit = shl i64 %low, %place.wide
  %odd.more = or i64 %odd, %low.bit
  %p.op = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 1
  %op = load i32, ptr %p.op
  %folded = call i64 @kiln.combine(i32 %op, i64 %sum, i64 %value)
  %sum.more = select i1 %first, i64 %value, i64 %folded
  br label %gathered
gathered:
  %met.next = phi i64 [ %met, %gather ], [ %met.more, %take ]
  %odd.next = phi i64 [ %odd, %gather ], [ %odd.more, %take ]
  %sum.next = phi i64 [ %sum, %gather ], [ %sum.more, %take ]
  %first.next = phi i1 [ %first, %gather ], [ false, %take ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %gather, label %give
give:
  %j = phi i32 [ 0, %gathered ], [ %j.next, %given ]
  %other = call ptr @kiln.at(ptr %slots, i32 %j)
  %out = call i1 @kiln.waits(ptr %other, i32 %state, i64 %tag)
  br i1 %out, label %let, label %given
let:
  %q.op = getelementptr inbounds %kiln.slot, ptr %other, i64 0, i32 1
  %kind = load i32, ptr %q.op
  switch i32 %kind, label %have [
    i32 1, label %read
    i32 2, label %ballot
    i32 3, label %match
    i32 12, label %here
  ]
read:
  %got = call i64 @kiln.read(ptr %slots, i32 %n, i64 %met.next, ptr %other)
  br label %have
ballot:
  br label %have
match:
  %q.value = getelementptr inbounds %kiln.slot, ptr %other, i64 0, i32 5
  %mine = load i64, ptr %q.value
  %alike = call i64 @kiln.alike(ptr %slots, i32 %n, i64 %met.next, i64 %mine)
  br label %have
here:
  br label %have
have:
  %result = phi i64 [ %sum.next, %let ], [ %got, %read ], [ %odd.next, %ballot ], [ %alike, %match ], [ %met.next, %here ]
  %q.result = getelementptr inbounds %kiln.slot, ptr %other, i64 0, i32 6
  store i64 %result, ptr %q.result
  store i32 0, ptr %other
  br label %given
given:
  %j.next = add i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %give, label %done
done:
  ret void
}

; Whether all lanes that the mask names have come, but for those returned.
define internal i1 @kiln.together(ptr %slots, i32 %n, i64 %mask) noinline minsize optsize nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %wide = zext i32 %i to i64
  %rest = lshr i64 %mask, %wide
  %named = trunc i64 %rest to i1
  br i1 %named, label %look, label %next
look:
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %state = load i32, ptr %slot
  %gone = icmp eq i32 %state, 4
  %here = call i1 @kiln.waits(ptr %slot, i32 2, i64 %mask)
  %fine = or i1 %gone, %here
  br i1 %fine, label %next, label %no
next:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %yes
yes:
  ret i1 true
no:
  ret i1 false
}

; Lets go on who can in a warp of %n lanes. Lanes at a site
; go on only when no other can, those at the first site before others.
define internal void @kiln.warp(ptr %slots, i32 %n) noinline minsize optsize nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %any = phi i1 [ false, %entry ], [ %any.next, %next ]
  %site = phi i64 [ -1, %entry ], [ %site.next, %next ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %state = load i32, ptr %slot
  %p.tag = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 4
  %tag = load i64, ptr %p.tag
  switch i32 %state, label %next [
    i32 2, label %masked
    i32 3, label %sited
  ]
masked:
  %ready = call i1 @kiln.together(ptr %slots, i32 %n, i64 %tag)
  br i1 %ready, label %let, label %next
let:
  call void @kiln.release(ptr %slots, i32 %n, i32 2, i64 %tag)
  br label %next
sited:
  %earlier = call i64 @llvm.umin.i64(i64 %site, i64 %tag)
  br label %next
next:
  %any.next = phi i1 [ %any, %loop ], [ %any, %masked ], [ true, %let ], [ %any, %sited ]
  %site.next = phi i64 [ %site, %loop ], [ %site, %masked ], [ %site, %let ], [ %earlier, %sited ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %rest
rest:
  %none = icmp eq i64 %site.next, -1
  %stop = or i1 %any.next, %none
  br i1 %stop, label %done, label %first
first:
  call void @kiln.release(ptr %slots, i32 %n, i32 3, i64 %site.next)
  ret void
done:
  ret void
}

; Lets go on who can at the barriers of a group.
define internal void @kiln.barriers(ptr %slots, i32 %n) noinline minsize optsize nounwind {
entry:
  %live = call i32 @kiln.live(ptr %slots, i32 %n)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %state = load i32, ptr %slot
  %waiting = icmp eq i32 %state, 1
  br i1 %waiting, label %look, label %next
look:
  %p.items = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 3
  %asked = load i32, ptr %p.items
  %p.tag = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 4
  %tag = load i64, ptr %p.tag
  %everyone = icmp eq i32 %asked, 0
  %fewer = call i32 @llvm.umin.i32(i32 %asked, i32 %live)
  %need = select i1 %everyone, i32 %live, i32 %fewer
  %came = call i32 @kiln.count(ptr %slots, i32 %n, i32 1, i64 %tag)
  %ready = icmp uge i32 %came, %need
  br i1 %ready, label %let, label %next
let:
  call void @kiln.release(ptr %slots, i32 %n, i32 1, i64 %tag)
  br label %next
next:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Runs all items that can run, each until it waits again or gives way to others,
; and tells whether there was one.
define internal i1 @kiln.turn(ptr %slots, i32 %n) noinline minsize optsize nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %any = phi i1 [ false, %entry ], [ %any.next, %next ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %i)
  %state = load i32, ptr %slot
  %can = icmp eq i32 %state, 0
  br i1 %can, label %resume, label %next
resume:
  %p.handle = getelementptr inbounds %kiln.slot, ptr %slot, i64 0, i32 7
  %handle = load ptr, ptr %p.handle
  call void @llvm.coro.resume(ptr %handle)
  br label %next
next:
  %any.next = phi i1 [ %any, %loop ], [ true, %resume ]
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret i1 %any.next
}

; Runs the %n items of a group to their end. It returns false where they wait
; for each other forever.
define internal i1 @kiln.schedule(ptr %slots, i32 %n, i32 %width) noinline minsize optsize nounwind {
entry:
  br label %round
round:
  br label %warps
warps:
  %from = phi i32 [ 0, %round ], [ %from.next, %warps ]
  %slot = call ptr @kiln.at(ptr %slots, i32 %from)
  %left = sub i32 %n, %from
  %lanes = call i32 @llvm.umin.i32(i32 %left, i32 %width)
  call void @kiln.warp(ptr %slot, i32 %lanes)
  %from.next = add i32 %from, %width
  %more = icmp ult i32 %from.next, %n
  br i1 %more, label %warps, label %group
group:
  call void @kiln.barriers(ptr %slots, i32 %n)
  %ran = call i1 @kiln.turn(ptr %slots, i32 %n)
  br i1 %ran, label %round, label %end
end:
  %live = call i32 @kiln.live(ptr %slots, i32 %n)
  %well = icmp eq i32 %live, 0
  ret i1 %well
}
