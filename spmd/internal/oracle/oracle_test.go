package oracle

import (
	"testing"

	"pgregory.net/rapid"
)

// TestDrawn checks that drawn programs have one meaning: no races, no item that
// waits forever, the same result again, and after a round trip as JSON.
func TestDrawn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := Draw(r, Features{Barriers: true, Warps: true, Statements: 40})
		first, second := p.NewBuffers(), p.NewBuffers()
		if err := p.Run(first); err != nil {
			r.Fatal(err)
		}
		q, err := Parse(p.JSON())
		if err != nil {
			r.Fatal(err)
		}
		if err := q.Run(second); err != nil {
			r.Fatal(err)
		}
		if d := first.Diff(second); d != "" {
			r.Fatal(d)
		}
	})
}
