package llvm_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/internal/llvm"
)

// sharedLibrary returns a file that is a shared library as far as names go:
// one loadable segment with a dynamic section, a string table and notes.
func sharedLibrary(soname string, notes []byte) []byte {
	const programs, phdrSize, headerSize = 3, 56, 64
	dynamic := uint64(headerSize + programs*phdrSize)
	const entries = 3
	text := dynamic + entries*16
	noteAt := (text + uint64(len(soname)) + 2 + 3) &^ 3
	size := noteAt + uint64(len(notes))

	var b bytes.Buffer
	header := elf.Header64{Type: uint16(elf.ET_DYN), Phoff: headerSize, Phentsize: phdrSize, Phnum: programs}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	write := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	write(header)
	const base = 0x1000 // the address of the file's first byte
	write(elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: base, Filesz: size, Memsz: size})
	write(elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: dynamic, Filesz: entries * 16})
	write(elf.Prog64{Type: uint32(elf.PT_NOTE), Off: noteAt, Filesz: uint64(len(notes)), Align: 4})
	write(elf.Dyn64{Tag: int64(elf.DT_SONAME), Val: 1})
	write(elf.Dyn64{Tag: int64(elf.DT_STRTAB), Val: base + text})
	write(elf.Dyn64{Tag: int64(elf.DT_NULL)})
	b.WriteString("\x00" + soname + "\x00")
	b.Write(make([]byte, int(noteAt)-b.Len()))
	b.Write(notes)
	return b.Bytes()
}

func note(name string, kind uint32, desc string) []byte {
	pad := func(s string) string { return s + strings.Repeat("\x00", -len(s)&3) }
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(name)+1))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, kind)
	return append(b, pad(name+"\x00")+pad(desc)...)
}

func writeFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestLocateInstalled compares what Locate reads with what debug/elf does.
func TestLocateInstalled(t *testing.T) {
	for _, name := range []string{"", "libLLVM.so.19.1", "libLLVM.so.22.1"} {
		library, err := llvm.Locate(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.Open(library.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := f.Section(".note.gnu.build-id").Data()
		if err != nil {
			t.Fatal(err)
		}
		if want := hex.EncodeToString(data[16:]); library.BuildID != want {
			t.Errorf("%s: build id %s, want %s", library.Path, library.BuildID, want)
		}
		soname, err := f.DynString(elf.DT_SONAME)
		if err != nil || "libLLVM.so."+library.Version != soname[0] {
			t.Errorf("%s: version %s, soname %v %v", library.Path, library.Version, soname, err)
		}
	}
	newest, err := llvm.Locate("")
	if err != nil || newest.Major != 22 {
		t.Errorf("without a preference: %+v, %v; want version 22", newest, err)
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, folder := range []string{a, b} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	id := note("GNU", 3, "\x01\x02\x03\x04\x05")
	other := note("Go", 4, "something else")
	writeFile(t, filepath.Join(b, "libLLVM.so.21.1"), sharedLibrary("libLLVM.so.21.1", append(other, id...)))
	writeFile(t, filepath.Join(a, "libLLVM.so.19.1"), sharedLibrary("libLLVM.so.19.1", id))
	mine := writeFile(t, filepath.Join(dir, "mine.so"), sharedLibrary("libLLVM-20.so", note("GNU", 3, "\xff")))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		name, prefer string
		folders      []string
		want         llvm.Library
	}{
		{"newest", "", []string{a, b}, llvm.Library{Path: filepath.Join(b, "libLLVM.so.21.1"), BuildID: "0102030405", Version: "21.1", Major: 21}},
		{"by name", "libLLVM.so.19.1", []string{a, b}, llvm.Library{Path: filepath.Join(a, "libLLVM.so.19.1"), BuildID: "0102030405", Version: "19.1", Major: 19}},
		{"by path", link, nil, llvm.Library{Path: mine, BuildID: "ff", Version: "20.0", Major: 20}},
	} {
		got, err := llvm.LocateIn(test.prefer, test.folders...)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}

	old := writeFile(t, filepath.Join(dir, "old"), sharedLibrary("libLLVM-14.so.1", id))
	foreign := writeFile(t, filepath.Join(dir, "foreign"), sharedLibrary("libc.so.6", id))
	text := writeFile(t, filepath.Join(dir, "text"), []byte("INPUT(libLLVM.so)"))
	for _, test := range []struct{ name, prefer, want string }{
		{"nothing", "", "libLLVM.so is in none of the usual folders: install LLVM 22 (apt-get install libllvm22)"},
		{"no such name", "libLLVM.so.77", "libLLVM.so.77 is in none of the usual folders"},
		{"no such file", filepath.Join(dir, "none"), "no such file"},
		{"too old", old, "is LLVM 14, kiln works with 19 to 22: install LLVM 22"},
		{"another library", foreign, `calls itself "libc.so.6"`},
		{"linker script", text, "not a shared library"},
	} {
		_, err := llvm.LocateIn(test.prefer, t.TempDir())
		if !errors.Is(err, llvm.ErrNoLLVM) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want one with %q", test.name, err, test.want)
		}
	}
}

// TestNoBuildID: without a build id the file's metadata stands in, and another
// file of the same name has another.
func TestNoBuildID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libLLVM.so.22.1")
	writeFile(t, path, sharedLibrary("libLLVM.so.22.1", nil))
	first, err := llvm.Locate(path)
	if err != nil || !strings.HasPrefix(first.BuildID, "stat:") {
		t.Fatalf("build id %q, %v", first.BuildID, err)
	}
	writeFile(t, path, sharedLibrary("libLLVM.so.22.1", note("GNU", 1, "not a build id")))
	if second, err := llvm.Locate(path); err != nil || second.BuildID == first.BuildID {
		t.Errorf("build id still %q after the file has changed, %v", second.BuildID, err)
	}
}

func TestOpenAnother(t *testing.T) {
	if !llvm.Opened() {
		t.Fatal("not open")
	}
	open := llvm.Current()
	if err := llvm.Open(open); err != nil {
		t.Errorf("opening the same again: %v", err)
	}
	other := open
	other.Path = "/elsewhere/libLLVM.so"
	if err := llvm.Open(other); err == nil || !strings.Contains(err.Error(), open.Path) || !strings.Contains(err.Error(), other.Path) {
		t.Errorf("opening another: %v, want an error naming both", err)
	}
	other = open
	other.BuildID = "00"
	if err := llvm.Open(other); err == nil {
		t.Error("opening a replaced file: no error")
	}
}

func FuzzIdentity(f *testing.F) {
	f.Add(sharedLibrary("libLLVM.so.22.1", note("GNU", 3, "\x01\x02")))
	f.Add(sharedLibrary("libLLVM-14.so", append(note("Go", 4, "x"), note("GNU", 3, "id")...)))
	f.Fuzz(func(t *testing.T, data []byte) {
		buildID, soname, err := llvm.ParseIdentity(bytes.NewReader(data))
		if err != nil && buildID+soname != "" || len(soname) > len(data) || len(buildID) > 2*len(data) {
			t.Errorf("build id %q, soname %q, error %v", buildID, soname, err)
		}
	})
}
