package spmd

import (
	"testing"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// TestKnownLanes follows a wave's way of finding a lane's number, and shuffles by
// it, in all lanes.
func TestKnownLanes(t *testing.T) {
	fn, err := irtext.ParseFunction(&irtext.Entity{Name: "@f", Line: "define void @f(i32 %p)", Body: []string{
		"start:",
		"  %t = call i32 @kiln.tid.x()",
		"  %y = call i32 @kiln.tid.y()",
		"  %n = call i32 @kiln.ntid.x()",
		"  %l = and i32 %t, 63",
		"  %hi = call i32 @llvm.usub.sat.i32(i32 %l, i32 32)",
		"  %lo = call i32 @llvm.umin.i32(i32 %l, i32 32)",
		"  %w = zext i32 %lo to i64",
		"  %s = shl nsw i64 -1, %w",
		"  %s32 = trunc i64 %s to i32",
		"  %m = xor i32 %s32, -1",
		"  %c = call i32 @llvm.ctpop.i32(i32 %m)",
		"  %lane = add i32 %c, %hi",
		"  %up = add i32 %lane, 5",
		"  %out = icmp samesign ugt i32 %up, 63",
		"  %down = select i1 %out, i32 %lane, i32 %up",
		"  %row = mul i32 %y, %n",
		"  %linear = add i32 %row, %t",
		"  %flip = xor i32 %linear, 1",
		"  %other = add i32 %t, %p",
		"  ret void",
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := &laneWriter{l: &lowering{fn: fn}, s: &shapes{}, lanes: 64}
	for lane := range uint64(64) {
		down := lane + 5
		if down > 63 {
			down = lane
		}
		for name, want := range map[string]uint64{"%lane": lane, "%down": down, "%flip": lane ^ 1} {
			left := maxLook
			p := w.look(irtext.Operand{Type: "i32", Text: name}, lane, &left)
			if p.known&63 != 63 || p.value&63 != want {
				t.Errorf("lane %d: %s is %d (known %#x), want %d", lane, name, p.value, p.known, want)
			}
		}
		left := maxLook
		if p := w.look(irtext.Operand{Type: "i32", Text: "%other"}, lane, &left); p.known&63 != 0 {
			t.Errorf("lane %d: %%other is known to be %d (%#x)", lane, p.value, p.known)
		}
	}
	if _, ok := w.constantLanes(irtext.Operand{Type: "i32", Text: "%down"}); !ok {
		t.Error("no pattern of the value down")
	}
}
