package elfload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSpans compares free ranges with a plain map of pages.
func TestSpans(t *testing.T) {
	const pages, page = 64, 16
	rapid.Check(t, func(t *rapid.T) {
		free := spans{{page, page * (pages + 1)}}
		var used [pages + 1]bool
		used[0] = true
		type part struct{ at, size uintptr }
		var parts []part
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(parts) > 0 && rapid.Bool().Draw(t, "give") {
				i := rapid.IntRange(0, len(parts)-1).Draw(t, "which")
				p := parts[i]
				parts = append(parts[:i], parts[i+1:]...)
				free.give(p.at, p.size)
				for k := p.at / page; k < (p.at+p.size)/page; k++ {
					used[k] = false
				}
			} else {
				n := rapid.UintptrRange(1, 9).Draw(t, "pages")
				align := uintptr(1) << rapid.IntRange(0, 4).Draw(t, "align")
				want, fits := uintptr(0), false
				for at := align; at+n <= pages+1 && !fits; at += align {
					fits = true
					for k := at; k < at+n; k++ {
						fits = fits && !used[k]
					}
					want = at * page
				}
				at, ok := free.take(n*page, align*page)
				if ok != fits || ok && at != want {
					t.Fatalf("%d pages aligned to %d: %#x, %v; want %#x, %v", n, align, at, ok, want, fits)
				}
				if !ok {
					continue
				}
				for k := at / page; k < at/page+n; k++ {
					used[k] = true
				}
				parts = append(parts, part{at, n * page})
			}
			var want spans
			for k := uintptr(1); k <= pages; k++ {
				switch {
				case used[k]:
				case len(want) > 0 && want[len(want)-1].hi == k*page:
					want[len(want)-1].hi += page
				default:
					want = append(want, span{k * page, (k + 1) * page})
				}
			}
			if diff := cmp.Diff(want, free, cmp.AllowUnexported(span{}), cmp.Transformer("list", func(s spans) []span { return append([]span{}, s...) })); diff != "" {
				t.Fatalf("free (-want +got):\n%s", diff)
			}
		}
	})
}
