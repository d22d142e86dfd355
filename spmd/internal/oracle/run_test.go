package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func num(n int32) Expr { return Expr{Op: "int", N: n} }

var item = Expr{Op: "id", N: 4}

// run interprets statements in one group of 40 items and returns output 0 of each.
func run(t *testing.T, shared int, body ...Stmt) ([]int32, error) {
	t.Helper()
	p := &Program{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{20, 2, 1}, Body: body, Shared: make([]SharedArray, shared)}
	for i := range p.Shared {
		p.Shared[i].Atomic = "add"
	}
	b := p.NewBuffers()
	err := p.Run(b)
	var out []int32
	for i := range p.Items() {
		out = append(out, b.Out[i*outInts])
	}
	return out, err
}

func TestRaces(t *testing.T) {
	neighbour := Expr{Op: "shared", Args: []Expr{{Op: "add", Args: []Expr{item, num(1)}}}}
	write := Stmt{Op: "share", E: []Expr{item}}
	read := Stmt{Op: "out", E: []Expr{neighbour}}
	own := Stmt{Op: "out", E: []Expr{{Op: "own"}}}
	change := Stmt{Op: "atomic", E: []Expr{num(0), num(1)}}
	barrier := Stmt{Op: "barrier"}
	for _, c := range []struct {
		name string
		body []Stmt
		race bool
	}{
		{"write, read", []Stmt{write, read}, true},
		{"write, barrier, read", []Stmt{write, barrier, read}, false},
		{"read, write", []Stmt{write, barrier, read, write}, true},
		{"write, read own", []Stmt{write, own, write}, false},
		{"write, change", []Stmt{write, change}, true},
		{"change, change", []Stmt{write, barrier, change, change}, false},
		{"change, read own", []Stmt{write, barrier, change, own}, true},
	} {
		_, err := run(t, 1, c.body...)
		if (err != nil) != c.race || c.race && !strings.Contains(err.Error(), "race for element") {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

func TestMeetings(t *testing.T) {
	first := Expr{Op: "ult", Args: []Expr{item, num(8)}}
	out := Stmt{Op: "out", E: []Expr{{Op: "var"}}}
	each := func(f func(i int32) int32) (list []int32) {
		for i := range int32(40) {
			list = append(list, f(i))
		}
		return list
	}
	leave := Stmt{Op: "if", E: []Expr{first}, Blocks: [][]Stmt{{{Op: "return"}}}}
	for _, c := range []struct {
		name string
		body []Stmt
		want []int32
		err  string
	}{
		{name: "some at a barrier", body: []Stmt{{Op: "if", E: []Expr{first}, Blocks: [][]Stmt{{{Op: "barrier"}}, {{Op: "barrier"}}}}}, err: "forever"},
		{name: "count", body: []Stmt{{Op: "reduce", Kind: "popc", E: []Expr{first}}, out}, want: each(func(int32) int32 { return 8 })},
		{name: "all that are left", body: []Stmt{leave, {Op: "reduce", Kind: "and", E: []Expr{item}}, out}, want: each(func(i int32) int32 {
			if i < 8 {
				return 0
			}
			return 1
		})},
		{name: "ballot", body: []Stmt{{Op: "warp", Kind: "ballot", Mask: fullMask, E: []Expr{first}}, out}, want: each(func(i int32) int32 {
			if i < 32 {
				return 0xff
			}
			return 0
		})},
		{name: "least", body: []Stmt{{Op: "warp", Kind: "min", Mask: fullMask, E: []Expr{{Op: "sub", Args: []Expr{num(5), item}}}}, out}, want: each(func(i int32) int32 {
			if i < 32 {
				return 5 - 31
			}
			return 5 - 39
		})},
		{name: "up", body: []Stmt{{Op: "warp", Kind: "up", Width: 8, Mask: fullMask, E: []Expr{item, num(3)}}, out}, want: each(func(i int32) int32 {
			if i%8 < 3 {
				return i
			}
			return i - 3
		})},
		{name: "bfly below its segment", body: []Stmt{{Op: "warp", Kind: "bfly", Width: 8, Mask: fullMask, E: []Expr{item, num(8)}}, out}, want: each(func(i int32) int32 {
			switch {
			case i >= 32 || i%16 < 8:
				return i
			}
			return i - 8
		})},
	} {
		got, err := run(t, 0, c.body...)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestFMA compares with the exact sum, rounded once.
func TestFMA(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	float := func() float32 {
		return float32(math.Ldexp(float64(random.Int32()), random.IntN(60)-60))
	}
	for range 200000 {
		a, b, c := float(), float(), float()
		if random.IntN(4) == 0 {
			c = -a * b * (1 + float32(random.IntN(3)-1)*0x1p-23)
		}
		exact := new(big.Float).SetPrec(400).SetFloat64(float64(a))
		exact.Mul(exact, big.NewFloat(float64(b)).SetPrec(400))
		exact.Add(exact, big.NewFloat(float64(c)))
		if want, _ := exact.Float32(); fma(a, b, c) != want {
			t.Fatalf("fma(%g, %g, %g) = %g, want %g", a, b, c, fma(a, b, c), want)
		}
	}
}

func TestSaturate(t *testing.T) {
	for f, want := range map[float32]int32{
		0: 0, -1.9: -1, 2147483520: 2147483520, 2147483648: math.MaxInt32, -2147483648: math.MinInt32, -3e9: math.MinInt32,
		float32(math.Inf(1)): math.MaxInt32, float32(math.NaN()): 0,
	} {
		if got := int32(saturate(f)); got != want {
			t.Errorf("%g becomes %d, want %d", f, got, want)
		}
	}
}
