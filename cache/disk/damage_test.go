package disk

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

var (
	testKey  = cachetest.Key(1)
	testItem = cachetest.Item(1, 100)
)

// encoded returns the file of an entry.
func encoded(t testing.TB, key cache.Key, item cache.Item) []byte {
	t.Helper()
	head, value, sum, err := parts(key, item, time.Unix(1_700_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join([][]byte{head, value, sum[:]}, nil)
}

// plant puts file where the entry of testKey is, in a store in memory.
func plant(t testing.TB, s *Store, file []byte) {
	t.Helper()
	_ = s.fs.Mkdir(s.prefixPath(testKey), 0o700)
	_ = s.fs.Remove(s.entryPath(testKey))
	f, err := s.fs.Create(s.entryPath(testKey), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(file); err != nil {
		t.Fatal(err)
	}
}

// wantReplaced checks that the next Put writes over what is there.
func wantReplaced(t testing.TB, s *Store) {
	t.Helper()
	cachetest.MustPut(t, s, testKey, testItem)
	cachetest.WantItem(t, s, testKey, testItem)
}

func reasonOf(t testing.TB, s *Store) cache.Reason {
	t.Helper()
	item, err := s.Get(t.Context(), testKey)
	if err == nil || item.Value != nil {
		t.Errorf("Get returned %d bytes, error %v; want a miss", len(item.Value), err)
	}
	return cache.MissReason(err)
}

// The report behind the tests of damage is pocl/pocl#534: after a bad write every
// later run ended in an abort until somebody deleted the cache.

func TestEveryBitFlippedIsAMiss(t *testing.T) {
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
	whole := encoded(t, testKey, testItem)
	plant(t, s, whole)
	cachetest.WantItem(t, s, testKey, testItem)
	var want int64
	for i := range whole {
		for bit := range 8 {
			file := bytes.Clone(whole)
			file[i] ^= 1 << bit
			plant(t, s, file)
			expect := cache.Damaged
			switch {
			case i < 8:
				expect = cache.Foreign
			case i < 12:
				expect = cache.OtherFormat
			}
			if why := reasonOf(t, s); why != expect {
				t.Fatalf("byte %d bit %d flipped: reason %q, want %q", i, bit, why, expect)
			}
			want++
		}
		wantReplaced(t, s)
	}
	if got := s.Stats().Missed(); got != want {
		t.Errorf("%d misses counted, want %d", got, want)
	}
}

func TestEveryLengthButTheRightOneIsAMiss(t *testing.T) {
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
	whole := encoded(t, testKey, testItem)
	long := append(bytes.Clone(whole), make([]byte, 40)...)
	for n := range long {
		if n == len(whole) {
			continue
		}
		plant(t, s, long[:n])
		if why := reasonOf(t, s); why != cache.Damaged {
			t.Fatalf("cut to %d of %d bytes: reason %q", n, len(whole), why)
		}
		plant(t, s, make([]byte, n))
		if why := reasonOf(t, s); why != cache.Damaged {
			t.Fatalf("%d zero bytes: reason %q", n, why)
		}
		wantReplaced(t, s)
	}
}

// sealed returns body with a right checksum behind it.
func sealed(body []byte) []byte {
	sum := checksum(body)
	return append(bytes.Clone(body), sum[:]...)
}

func TestWrongThingsUnderARightChecksum(t *testing.T) {
	whole := encoded(t, testKey, testItem)
	body := whole[:len(whole)-sumSize]
	changed := func(at int, to ...byte) []byte {
		b := bytes.Clone(body)
		copy(b[at:], to)
		return sealed(b)
	}
	// A whole entry but for its label, which no writer makes that long.
	wordy := bytes.Clone(body[:headSize])
	binary.LittleEndian.PutUint32(wordy[12:], cache.MaxLabel+1)
	wordy = append(wordy, make([]byte, cache.MaxLabel+1+len(testItem.Value))...)
	ff := bytes.Repeat([]byte{0xff}, 8)
	for _, c := range []struct {
		name string
		file []byte
		want cache.Reason
	}{
		{"another key's entry", encoded(t, cachetest.Key(2), testItem), cache.OtherKey},
		{"format 0", changed(8, 0, 0, 0, 0), cache.OtherFormat},
		{"format 1", changed(8, 1), cache.OtherFormat},
		{"format 3", changed(8, 3), cache.OtherFormat},
		{"detail longer than any", changed(72, 1, 0x40), cache.Damaged},
		{"detail one byte longer", changed(72, body[72]+1), cache.Damaged},
		{"magic of another program", changed(0, 0x7f, 'E', 'L', 'F'), cache.Foreign},
		{"label longer than the file", changed(12, ff[:4]...), cache.Damaged},
		{"label longer than the rest", changed(12, 0, 2), cache.Damaged},
		{"label longer than any", changed(12, 0, 3), cache.Damaged},
		{"label longer than any writer's", sealed(wordy), cache.Damaged},
		{"label one byte longer", changed(12, body[12]+1), cache.Damaged},
		{"value longer than the file", changed(16, ff...), cache.Damaged},
		{"value one byte longer", changed(16, body[16]+1), cache.Damaged},
		{"value one byte shorter", changed(16, body[16]-1), cache.Damaged},
		{"head alone", sealed(body[:headSize]), cache.Damaged},
		{"less than a head", sealed(body[:headSize-1]), cache.Damaged},
		{"nothing but a checksum", sealed(nil), cache.Foreign},
		{"text", bytes.Repeat([]byte("hello\n"), 50), cache.Foreign},
		{"empty", nil, cache.Damaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
			plant(t, s, c.file)
			cachetest.WantMiss(t, s, testKey, c.want)
			for _, list := range []struct {
				name string
				err  error
			}{{"List", lastError(s.List(t.Context()))}, {"Verify", lastError(s.Verify(t.Context()))}} {
				if why := cache.MissReason(list.err); why == "" {
					t.Errorf("%s passes it as good", list.name)
				}
			}
			wantReplaced(t, s)
			if err := lastError(s.Verify(t.Context())); err != nil {
				t.Errorf("Verify after Put: %v", err)
			}
		})
	}
}

func lastError(seq func(func(cache.Info, error) bool)) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}

func TestSwappedEntriesAreMisses(t *testing.T) {
	s := open(t, Options{})
	other := cachetest.Key(2)
	cachetest.MustPut(t, s, testKey, testItem)
	cachetest.MustPut(t, s, other, cachetest.Item(2, 100))
	for _, move := range [][2]string{
		{s.entryPath(testKey), s.dir + "/x"}, {s.entryPath(other), s.entryPath(testKey)}, {s.dir + "/x", s.entryPath(other)},
	} {
		if err := os.Rename(move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	cachetest.WantMiss(t, s, testKey, cache.OtherKey)
	cachetest.WantMiss(t, s, other, cache.OtherKey)
	wantReplaced(t, s)
	cachetest.WantMiss(t, s, other, cache.OtherKey)
}

// What may stand at an entry's place, on the real file system.
func TestThingsInTheWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(path string) error
		want  cache.Reason
	}{
		{"folder", func(p string) error { return os.Mkdir(p, 0o700) }, cache.Foreign},
		{"folder with files", func(p string) error {
			if err := os.Mkdir(p, 0o700); err != nil {
				return err
			}
			return os.WriteFile(p+"/mine", []byte("precious"), 0o600)
		}, cache.Foreign},
		{"link to an entry", func(p string) error {
			file := encoded(t, testKey, testItem)
			if err := os.WriteFile(p+".real", file, 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".real", p)
		}, cache.Foreign},
		{"link to nothing", func(p string) error { return os.Symlink("/no/such/file", p) }, cache.Foreign},
		{"pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, cache.Foreign},
		{"huge file with a hole", func(p string) error {
			if err := os.WriteFile(p, encoded(t, testKey, testItem), 0o600); err != nil {
				return err
			}
			return os.Truncate(p, maxEntry+1)
		}, cache.Damaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, Options{})
			place := s.entryPath(testKey)
			if err := os.Mkdir(filepath.Dir(place), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.place(place); err != nil {
				t.Fatal(err)
			}
			cachetest.WantMiss(t, s, testKey, c.want)
			if _, err := s.Trim(t.Context(), 1<<40); err != nil {
				t.Errorf("Trim: %v", err)
			}
			wantReplaced(t, s)
			kept, err := filepath.Glob(filepath.Dir(place) + "/" + foreignPrefix + "*/mine")
			if wantKept := c.name == "folder with files"; err != nil || (len(kept) == 1) != wantKept {
				t.Errorf("what the folder held is now at %v", kept)
			}
		})
	}

	t.Run("file where the prefix folder belongs", func(t *testing.T) {
		s := open(t, Options{})
		if err := os.WriteFile(s.prefixPath(testKey), []byte("?"), 0o600); err != nil {
			t.Fatal(err)
		}
		cachetest.WantMiss(t, s, testKey, cache.Foreign)
		if _, err := s.Trim(t.Context(), 0); err == nil {
			t.Error("Trim says nothing of a file in place of a folder")
		}
		wantReplaced(t, s)
	})
}
