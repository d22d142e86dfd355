package kiln_test

import (
	"context"
	"testing"

	"github.com/kilnjit/kiln"
)

const emptyIR = `
target triple = "x86_64-unknown-linux-gnu"
define void @nothing(ptr %p, i32 %a, i32 %b, i32 %c, float %d) {
  ret void
}
`

func BenchmarkLaunch(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(map[int]string{1: "one", 1000: "thousand"}[n], func(b *testing.B) {
			e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			m, err := e.Load(b.Context(), kiln.Bytes("empty.ll", []byte(emptyIR)))
			if err != nil {
				b.Fatal(err)
			}
			k, err := m.Kernel("nothing")
			if err != nil {
				b.Fatal(err)
			}
			p := make([]byte, 8)
			ctx := context.Background()
			launch := func(i int) {
				if err := k.Launch(ctx, kiln.Arg(p), kiln.Const(int32(i)), kiln.Const(int32(2)), kiln.Const(int32(3)), kiln.Const(float32(4))); err != nil {
					b.Fatal(err)
				}
			}
			for i := range n {
				launch(i)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				launch(i)
				if i++; i == n {
					i = 0
				}
			}
		})
	}
}
