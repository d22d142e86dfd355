package disk

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

func exported(t *testing.T, s *Store, want Transferred) []byte {
	t.Helper()
	var b bytes.Buffer
	if got, err := s.Export(t.Context(), &b); err != nil || got != want {
		t.Errorf("Export = %+v, %v; want %+v", got, err, want)
	}
	return b.Bytes()
}

// A store goes into one file and out of it, whole.
func TestExportAndImport(t *testing.T) {
	from := open(t, Options{Dir: "/from", FS: fsxtest.NewMem()})
	const n = 30
	var total int64
	for i := range n {
		item := cachetest.Item(i, 5000*i)
		if i%2 == 0 {
			clear(item.Value) // which compresses
		}
		cachetest.MustPut(t, from, cachetest.Key(i), item)
		total += int64(5000 * i)
	}
	file := exported(t, from, Transferred{Entries: n, Bytes: total})
	if again := exported(t, from, Transferred{Entries: n, Bytes: total}); !bytes.Equal(file, again) {
		t.Error("the same entries give another file")
	}
	to := open(t, Options{Dir: "/to", FS: fsxtest.NewMem()})
	cachetest.MustPut(t, to, cachetest.Key(3), cachetest.Item(77, 10))
	if got, err := to.Import(t.Context(), bytes.NewReader(file)); err != nil || got != (Transferred{Entries: n - 1, Bytes: total - 15000, Present: 1}) {
		t.Errorf("Import = %+v, %v", got, err)
	}
	for i := range n {
		want, err := from.Get(t.Context(), cachetest.Key(i))
		if err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			want = cachetest.Item(77, 10)
		}
		cachetest.WantItem(t, to, cachetest.Key(i), want)
	}
	if got, err := to.Import(t.Context(), bytes.NewReader(file)); err != nil || got != (Transferred{Present: n}) {
		t.Errorf("Import again = %+v, %v", got, err)
	}

	// What is no good stays behind.
	plantAt := from.entryPath(cachetest.Key(5))
	if err := from.fs.Remove(plantAt); err != nil {
		t.Fatal(err)
	}
	f, err := from.fs.Create(plantAt, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("no entry"))
	f.Close()
	exported(t, from, Transferred{Entries: n - 1, Bytes: total - 25000, Bad: 1})
}

// archive returns a tar file of the entries given as name, content.
func archive(t *testing.T, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: entries[i], Size: int64(len(entries[i+1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file from anywhere changes nothing but entries that check.
func TestImportOfHostileFiles(t *testing.T) {
	good := string(encoded(t, testKey, testItem))
	hex := testKey.String()
	name := hex[:2] + "/" + hex + entrySuffix
	for what, c := range map[string]struct {
		file []byte
		want Transferred
		fail bool
	}{
		"good":              {archive(t, name, good), Transferred{Entries: 1, Bytes: 100}, false},
		"with dot folder":   {archive(t, "./"+name, good), Transferred{Entries: 1, Bytes: 100}, false},
		"nothing in it":     {archive(t), Transferred{}, false},
		"other key's name":  {archive(t, "aa/aa"+hex[2:]+entrySuffix, good), Transferred{Bad: 1}, false},
		"climbing":          {archive(t, "../../etc/passwd", "root", "/etc/"+hex+entrySuffix, good), Transferred{Bad: 2}, false},
		"damaged":           {archive(t, name, good[:50]+"x"+good[51:]), Transferred{Bad: 1}, false},
		"a stranger's":      {archive(t, "README", "hello", name, good), Transferred{Entries: 1, Bytes: 100, Bad: 1}, false},
		"no tar":            {bytes.Repeat([]byte("x"), 2000), Transferred{}, true},
		"cut in the middle": {archive(t, name, good)[:600], Transferred{}, true},
	} {
		s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
		got, err := s.Import(t.Context(), bytes.NewReader(c.file))
		if got != c.want || (err != nil) != c.fail || c.fail && !errors.Is(err, errNoArchive) {
			t.Errorf("%s: %+v, %v; want %+v", what, got, err, c.want)
		}
		u, err := s.Usage(t.Context())
		if err != nil || u.Entries != c.want.Entries || u.Foreign != 0 || u.Leftovers != 0 {
			t.Errorf("%s: %+v, %v in the folder", what, u, err)
		}
	}
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
	s.readOnly = true
	if _, err := s.Import(t.Context(), strings.NewReader("")); !errors.Is(err, cache.ErrReadOnly) {
		t.Errorf("into a read-only store: %v", err)
	}
}

// A writer that is full ends an export, a medium that is full an import.
func TestTransferToAFullDisk(t *testing.T) {
	mem := fsxtest.NewMem()
	s := open(t, Options{Dir: "/cache", FS: mem})
	cachetest.MustPut(t, s, testKey, testItem)
	if _, err := s.Export(t.Context(), fullWriter{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Export = %v", err)
	}
	file := exported(t, s, Transferred{Entries: 1, Bytes: 100})
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem(), Rule: func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "write" && strings.Contains(c.Path, tempPrefix) {
			return fsxtest.Fault{Err: syscall.ENOSPC}
		}
		return fsxtest.Fault{}
	}}
	to := open(t, Options{Dir: "/to", FS: faulty})
	if got, err := to.Import(t.Context(), bytes.NewReader(file)); !errors.Is(err, syscall.ENOSPC) || got != (Transferred{}) {
		t.Errorf("Import = %+v, %v", got, err)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
