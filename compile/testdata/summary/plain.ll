; No layout and no triple: the layout is x86-64's, so an i64 has 8 bytes'
; alignment. Only what C can call is a kernel.
@visible = external global i32
@own = global [3 x i16] zeroinitializer
@hidden_one = internal global i32 0
@weak_one = weak constant i64 5, align 16

define i32 @takes(i8 %a, i64 %b, x86_fp80 %c, <8 x float> %d, { i8, i64 } %e, ptr sret({ i64, i64, i64 }) %f, i24 %g) {
  ret i32 0
}

define void @reads(ptr readonly %r, ptr writeonly %w, ptr readnone %n, ptr %both) {
  ret void
}

define internal void @local() {
  ret void
}

define fastcc void @fast() {
  ret void
}

define void @variadic(i32 %n, ...) {
  ret void
}

define void @scalable(<vscale x 4 x i32> %v) {
  ret void
}

define available_externally void @elsewhere() {
  ret void
}

declare void @declared()
