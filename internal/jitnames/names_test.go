package jitnames

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var someFunctions = []Function{
	{"saxpy", 0x7f0000001000, []byte{0x90, 0xc3}},
	{"float kiln::f<int>(char const*)", 0x7f0000001010, []byte{1, 2, 3, 4, 5}},
	{"two\nlines\x00", 0x7f0000002000, []byte{0xcc}},
}

func TestPerfMap(t *testing.T) {
	n, err := Open(Options{PerfMap: true})
	if err != nil {
		t.Fatal(err)
	}
	path := PerfMapPath(os.Getpid())
	t.Cleanup(func() { os.Remove(path) })
	n.Add(someFunctions[:2], nil).Remove()
	n.Add(someFunctions[2:], nil)
	if err := n.Err(); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "7f0000001000 2 saxpy\n7f0000001010 5 float kiln::f<int>(char const*)\n7f0000002000 1 two?lines?\n"
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Errorf("map (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if again, err := Open(Options{PerfMap: true}); err != nil || again.perfMap != n.perfMap {
		t.Errorf("another device has another file: %v", err)
	}
}

// dumpRecord is one function of a dump file.
type dumpRecord struct {
	Name          string
	Address, Size uint64
	Code          []byte
	Index         uint64
}

// readDump reads a dump file as its specification says.
func readDump(b []byte) ([]dumpRecord, error) {
	le := binary.LittleEndian
	if len(b) < 40 || le.Uint32(b) != 0x4A695444 || le.Uint32(b[4:]) != 1 || le.Uint32(b[8:]) != 40 {
		return nil, errors.New("no header")
	}
	if e := le.Uint32(b[12:]); e != 62 && e != 183 {
		return nil, fmt.Errorf("machine %d", e)
	}
	if pid := le.Uint32(b[20:]); pid != uint32(os.Getpid()) {
		return nil, fmt.Errorf("process %d", pid)
	}
	start := le.Uint64(b[24:])
	var list []dumpRecord
	for b = b[40:]; len(b) > 0; {
		size := le.Uint32(b[4:])
		if le.Uint32(b) != 0 || size > uint32(len(b)) {
			return nil, fmt.Errorf("record %d of %d bytes, %d left", le.Uint32(b), size, len(b))
		}
		if at := le.Uint64(b[8:]); at < start || at-start > uint64(time.Minute) {
			return nil, fmt.Errorf("at %d, the file is of %d", at, start)
		}
		if le.Uint64(b[24:]) != le.Uint64(b[32:]) {
			return nil, errors.New("two addresses")
		}
		rest := b[56:size]
		name, code, ok := strings.Cut(string(rest), "\x00")
		r := dumpRecord{name, le.Uint64(b[32:]), le.Uint64(b[40:]), []byte(code), le.Uint64(b[48:])}
		if !ok || uint64(len(code)) != r.Size {
			return nil, fmt.Errorf("%q: %d bytes of code, want %d", name, len(code), r.Size)
		}
		list = append(list, r)
		b = b[size:]
	}
	return list, nil
}

func TestDump(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made", "here")
	n, err := Open(Options{PerfDump: folder})
	if err != nil {
		t.Fatal(err)
	}
	n.Add(someFunctions[:2], nil)
	n.Add(someFunctions[2:], nil)
	if err := n.Err(); err != nil {
		t.Error(err)
	}
	path := filepath.Join(folder, fmt.Sprintf("jit-%d.dump", os.Getpid()))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readDump(b)
	if err != nil {
		t.Fatal(err)
	}
	want := []dumpRecord{
		{"saxpy", 0x7f0000001000, 2, []byte{0x90, 0xc3}, 0},
		{"float kiln::f<int>(char const*)", 0x7f0000001010, 5, []byte{1, 2, 3, 4, 5}, 1},
		{"two?lines?", 0x7f0000002000, 1, []byte{0xcc}, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(maps), path) {
		t.Error("the file is not mapped: perf would not find it")
	}

	// A file that cannot be written is told of once.
	n.dump.file.Close()
	for range 3 {
		n.Add(someFunctions, nil)
	}
	if err := n.Err(); !errors.Is(err, os.ErrClosed) || strings.Count(err.Error(), "writing the dump file") != 1 {
		t.Errorf("error %v", err)
	}
}

func TestOpenFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := Open(Options{PerfDump: file}); n != nil || err == nil || !strings.Contains(err.Error(), "opening the dump file for perf: ") {
		t.Errorf("%v, %v", n, err)
	}
}

// TestOff holds the zero options to costing nothing.
func TestOff(t *testing.T) {
	n, err := Open(Options{})
	if n != nil || err != nil {
		t.Fatalf("%v, %v", n, err)
	}
	object := func() []byte { t.Error("the object was asked for"); return nil }
	if got := testing.AllocsPerRun(100, func() { n.Add(someFunctions, object).Remove() }); got != 0 {
		t.Errorf("%v allocations", got)
	}
	if n.Err() != nil {
		t.Error(n.Err())
	}
}

// TestDebuggerList follows the list that gdb reads when it attaches.
func TestDebuggerList(t *testing.T) {
	n, err := Open(Options{Debugger: true})
	if err != nil {
		t.Fatal(err)
	}
	list := func() (sizes []uint64) {
		var before *symbolFile
		for f := descriptorAddress.first; f != nil; f = f.next {
			if f.previous != before {
				t.Errorf("entry of %d bytes points back to %p, not %p", f.size, f.previous, before)
			}
			sizes, before = append(sizes, f.size), f
		}
		if d := descriptorAddress; d.version != 1 || d.action != 0 || d.relevant != nil || len(sizes) != len(registered.files) {
			t.Errorf("descriptor %+v, %d objects kept, %d listed", *d, len(registered.files), len(sizes))
		}
		return sizes
	}
	var codes []*Code
	for size := 1; size <= 4; size++ {
		codes = append(codes, n.Add(someFunctions, func() []byte { return make([]byte, size) }))
	}
	for _, step := range []struct {
		remove int
		want   []uint64
	}{{-1, []uint64{4, 3, 2, 1}}, {1, []uint64{4, 3, 1}}, {1, []uint64{4, 3, 1}}, {3, []uint64{3, 1}}, {0, []uint64{3}}, {2, nil}} {
		if step.remove >= 0 {
			codes[step.remove].Remove()
		}
		if diff := cmp.Diff(step.want, list()); diff != "" {
			t.Errorf("after removing %d (-want +got):\n%s", step.remove, diff)
		}
	}
}
