package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kilnjit/kiln/bench/workload"
)

var update = flag.Bool("update", false, "rewrite testdata/report.md")

func TestSample(t *testing.T) {
	tests := []struct {
		values []float64
		want   sample
	}{
		{nil, sample{}},
		{[]float64{3}, sample{3, 3, 1}},
		{[]float64{5, 1, 4, 2, 3}, sample{1, 3, 5}},
		{[]float64{4, 1, 3, 2}, sample{1, 3, 4}},
	}
	for _, tt := range tests {
		if got := sampleOf(tt.values); got != tt.want {
			t.Errorf("sampleOf(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
	if got, want := scaled([]float64{2500, 1500}, "µs"), (sample{1.5, 2.5, 2}); got != want {
		t.Errorf("scaled: %v, want %v", got, want)
	}
}

func TestInterleave(t *testing.T) {
	var order strings.Builder
	mark := func(s string) func() error {
		return func() error { order.WriteString(s); return nil }
	}
	times, err := interleave(4, mark("a"), mark("b"), mark("c"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), "abcbcacababc"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	for i, values := range times {
		if len(values) != 4 {
			t.Errorf("function %d has %d times, want 4", i, len(values))
		}
	}
	failure := errors.New("no")
	if _, err := interleave(1, func() error { return failure }); err != failure {
		t.Errorf("error %v, want the function's own", err)
	}
}

func TestVerdict(t *testing.T) {
	base := row{Unit: "ms", Kiln: sample{10, 30, 3}, Against: []rival{
		{Name: "slow", Sample: sample{20, 20, 3}}, {Name: "fast", Sample: sample{8, 40, 3}}, {Name: "gone", Missing: "not installed"},
	}}
	tests := []struct {
		name   string
		row    row
		judged float64
		want   string
	}{
		{"no target", base, 0, ""},
		{"least below the limit", base.atMost(10, least), 10, "yes"},
		{"median above the limit", base.atMost(29, median), 30, "no"},
		{"against the slow one", base.times(1, least, "slow"), 0.5, "yes"},
		{"against the better one", base.times(1.2, least, "slow", "fast"), 1.25, "no"},
		{"better by its median", base.times(1.5, median, "slow", "fast"), 1.5, "yes"},
		{"a missing one does not count", base.times(1, least, "gone", "slow"), 0.5, "yes"},
		{"all missing", base.times(1, least, "gone"), 0, "?"},
	}
	for _, tt := range tests {
		if got := tt.row.verdict(); got != tt.want || tt.row.Judged != tt.judged {
			t.Errorf("%s: judged %g, verdict %q, want %g, %q", tt.name, tt.row.Judged, got, tt.judged, tt.want)
		}
	}
}

func TestReport(t *testing.T) {
	r := &report{Machine: []string{"processor: one"}, Sections: []section{{
		Name: "race", Title: "A race", How: "Once round.",
		Rows: []row{
			row{Work: "ours", Unit: "ms", Kiln: sample{1.2345, 123.45, 5}, Command: "again",
				Against: []rival{{Name: "floor", Sample: sample{1, 2, 5}}, {Name: "peer", Missing: "not installed"}},
				Note:    "it rained"}.times(1.1, least, "floor"),
			row{Work: "alone", Unit: "µs", Kiln: sample{0.5, 0.6, 5}, Command: "again"}.atMost(1, median),
			row{Work: "unheard of", Unit: "µs", Command: "again"}.atMost(1, median),
			{Work: "by the way", Unit: "ns", Kiln: sample{7, 8, 9}, Command: "again"},
		},
	}}}
	var got bytes.Buffer
	r.writeHead(&got)
	r.Sections[0].write(&got)
	got.WriteString("\n" + r.summary() + "\n")
	golden := filepath.Join("testdata", "report.md")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSpell(t *testing.T) {
	k := &workload.Kernel{Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{64, 1, 1}, Args: []workload.Arg{
		{Kind: "f32", N: 256, Seed: 1, Lo: -1, Hi: 1, Out: true}, {Kind: "f32", N: 8, Zero: true}, {Kind: "f32s", Value: 2.5}, {Kind: "i32s", Value: 1 << 24},
	}}
	got := strings.Join(spell("saxpy", k), " ")
	want := "saxpy 4 1 1 64 1 1 f32:256:1:-1:1:-o:0 f32:8:0:0:0:-z:0 f32s:0:0:0:0:-:2.5 i32s:0:0:0:0:-:16777216"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The benchmarks that need no peer run, and their rows hold what they should.
func TestQuick(t *testing.T) {
	t.Chdir("..")
	path := filepath.Join(t.TempDir(), "out.json")
	unwritten := filepath.Join(t.TempDir(), "benchmarks.md")
	var out bytes.Buffer
	if err := runAll(t.Context(), &out, "^(compile-host|load|launch|wake)$", true, path, unwritten); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(unwritten); err == nil {
		t.Error("a quick run writes the table of a full one")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, s := range r.Sections {
		rows[s.Name] = len(s.Rows)
		for _, row := range s.Rows {
			if s.Name != "wake" && !(row.Kiln.Min > 0 && row.Kiln.Median >= row.Kiln.Min) {
				t.Errorf("%s: %s: measured %+v", s.Name, row.Work, row.Kiln)
			}
			for _, against := range row.Against {
				if !(against.Sample.Min > 0) {
					t.Errorf("%s: %s: %s measured %+v", s.Name, row.Work, against.Name, against.Sample)
				}
			}
			if want := "go run ./bench -run '^" + s.Name + "$'"; row.Command != want {
				t.Errorf("command %q, want %q", row.Command, want)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"compile-host": 3, "load": 2, "launch": 4, "wake": 1}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestNoSuchBenchmark(t *testing.T) {
	err := runAll(t.Context(), &bytes.Buffer{}, "nonsense", true, "", "")
	if err == nil || !strings.Contains(err.Error(), `no benchmark matches "nonsense"; there are compile-host, compile-gpu`) {
		t.Errorf("error %v", err)
	}
}
