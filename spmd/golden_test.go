package spmd

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with the file that lies beside an input.
func golden(t *testing.T, input, suffix, got string) {
	t.Helper()
	path := strings.TrimSuffix(input, ".ll") + suffix
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

func inputs(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/" + folder + "/*.ll")
	if err != nil || len(all) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	var list []string
	for _, path := range all {
		if strings.Count(filepath.Base(path), ".") == 1 {
			list = append(list, path)
		}
	}
	return list
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestIngestGolden(t *testing.T) {
	for _, path := range inputs(t, "ingest") {
		for suffix, opt := range map[string]Options{
			".out.ll":   {},
			".fixed.ll": {Block: [3]uint32{64, 1, 1}, Grid: [3]uint32{8, 2, 1}},
		} {
			opt.Triple, opt.DataLayout = "x86_64-unknown-linux-gnu", "e-m:e-i64:64"
			in, err := ingest(text(t, path), "k", &opt)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			golden(t, path, suffix, in.text)
		}
	}
}

func TestLowerGolden(t *testing.T) {
	for _, path := range inputs(t, "lower") {
		source := text(t, path)
		header := source[strings.Index(source, "@kiln.kernel("):]
		header = header[:strings.Index(header, ")")]
		params := make([]image.Param, strings.Count(header, "%"))
		for i := range params {
			params[i] = image.Param{Offset: uint32(8 * i), Size: 8, Align: 8}
		}
		for suffix, opt := range map[string]Options{
			".lanes.ll": {Block: [3]uint32{8, 1, 1}, Lanes: 8},
			".items.ll": {Lanes: 1},
		} {
			opt.Params = params
			simple, err := readSimplified(source)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			low, err := simple.lower("k", &opt, &ingested{})
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			golden(t, path, suffix, "; "+strings.Join(low.remarks, "\n; ")+"\n\n"+low.text)
		}
	}
}
