package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

func TestOpenMakesAPrivateFolder(t *testing.T) {
	dir := t.TempDir() + "/home/.cache/kiln"
	s := open(t, Options{Dir: dir})
	cachetest.MustPut(t, s, testKey, testItem)
	s.Close()
	for path, want := range map[string]fs.FileMode{
		dir:                   fs.ModeDir | 0o700,
		s.prefixPath(testKey): fs.ModeDir | 0o700,
		s.entryPath(testKey):  0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want mode %v", path, info.Mode(), err, want)
		}
	}
	for name, want := range map[string]string{readmeName: readme, tagName: tag} {
		if got, err := os.ReadFile(dir + "/" + name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if s.Name() != "disk "+dir || s.Dir() != dir {
		t.Errorf("Name %q, Dir %q", s.Name(), s.Dir())
	}
	u, err := open(t, Options{Dir: dir}).Usage(t.Context())
	if want := (cache.Usage{Entries: 1, Bytes: block, MaxBytes: DefaultMaxBytes}); err != nil || u != want {
		t.Errorf("Usage = %+v, %v; want %+v", u, err, want)
	}
}

func TestOpenThroughALinkAndARelativeName(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	if err := os.Mkdir("real", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Dir: "link"})
	t.Chdir("/")
	cachetest.MustPut(t, s, testKey, testItem)
	cachetest.WantItem(t, open(t, Options{Dir: root + "/real"}), testKey, testItem)
}

// The reports behind this are dphnAI/sonar#458 and pocl/pocl#289: a cache folder
// that cannot be had ended the program.
func TestOpenErrorsSayWhatToDo(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(root+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root+"/public", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root+"/public", 0o1777); err != nil {
		t.Fatal(err)
	}
	refusing := func(errno error) fsx.FS {
		return &fsxtest.Faulty{FS: fsxtest.NewMem(), Rule: func(c fsxtest.Call) fsxtest.Fault {
			if c.Writes() {
				return fsxtest.Fault{Err: errno}
			}
			return fsxtest.Fault{}
		}}
	}
	for _, c := range []struct {
		name  string
		o     Options
		match error
		text  string
	}{
		{"no folder named", Options{}, nil, "no folder is named"},
		{"negative bound", Options{Dir: root, MaxBytes: -1}, nil, "-1 bytes"},
		{"a file", Options{Dir: root + "/file"}, nil, root + "/file is not a folder; remove it"},
		{"below a file", Options{Dir: root + "/file/a/b"}, syscall.ENOTDIR, root + "/file"},
		{"everybody writes", Options{Dir: root + "/public"}, nil, "chmod o-w"},
		{"read-only and absent", Options{Dir: root + "/absent", ReadOnly: true}, fs.ErrNotExist, root + "/absent"},
		{"read-only file system", Options{Dir: "/c", FS: refusing(syscall.EROFS)}, syscall.EROFS, "/c"},
		{"no permission", Options{Dir: "/c", FS: refusing(syscall.EACCES)}, fs.ErrPermission, "/c"},
		{"full", Options{Dir: "/c", FS: refusing(syscall.ENOSPC)}, syscall.ENOSPC, "/c"},
		{"somebody else's", Options{Dir: "/", FS: owned{fsxtest.NewMem()}}, nil, "belongs to user 4242"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.o)
			if s != nil || err == nil {
				t.Fatalf("Open = %v, %v; want an error alone", s, err)
			}
			if c.match != nil && !errors.Is(err, c.match) {
				t.Errorf("%v does not match %v", err, c.match)
			}
			if !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "opening the disk cache") {
				t.Errorf("error %q, want it to say %q", err, c.text)
			}
		})
	}
	for _, o := range []Options{
		{Dir: root + "/public", Shared: true},
		{Dir: "/", FS: owned{fsxtest.NewMem()}, Shared: true},
		{Dir: "/", FS: owned{fsxtest.NewMem()}, ReadOnly: true},
	} {
		if _, err := Open(o); err != nil {
			t.Errorf("Open(%+v): %v", o, err)
		}
	}
}

// owned is a file system of user 4242.
type owned struct{ fsx.FS }

func (o owned) Stat(path string) (fsx.Stat, error) {
	stat, err := o.FS.Stat(path)
	stat.UID = 4242
	return stat, err
}

func TestSharedLeavesPermissionsToTheUmask(t *testing.T) {
	old := syscall.Umask(0o007)
	defer syscall.Umask(old)
	s := open(t, Options{Shared: true})
	cachetest.MustPut(t, s, testKey, testItem)
	s.Close()
	for path, want := range map[string]fs.FileMode{s.dir: 0o770, s.prefixPath(testKey): 0o770, s.entryPath(testKey): 0o660} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func TestFolderRemovedBelowTheStore(t *testing.T) {
	s := open(t, Options{})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	if err := os.RemoveAll(filepath.Dir(s.dir)); err != nil {
		t.Fatal(err)
	}
	cachetest.WantMiss(t, s, testKey, cache.Absent)
	if u, err := s.Usage(t.Context()); err != nil || u.Entries != 0 {
		t.Errorf("Usage = %+v, %v", u, err)
	}
	wantReplaced(t, s)
	if _, err := os.Stat(s.dir + "/" + readmeName); err != nil {
		t.Error(err)
	}
}

func TestPutErrorsAreCountedAndHitsGoOn(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "write" {
			return fsxtest.Fault{Short: true, Err: syscall.ENOSPC}
		}
		return fsxtest.Fault{}
	})
	for i := range 3 {
		err := s.Put(t.Context(), cachetest.Key(i+10), testItem)
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "storing in disk /cache") {
			t.Errorf("Put on a full disk = %v", err)
		}
	}
	cachetest.WantItem(t, s, testKey, testItem)
	u, err := s.Usage(t.Context())
	if err != nil || u.Leftovers != 0 || u.Entries != 1 {
		t.Errorf("Usage = %+v, %v", u, err)
	}
	if stats := s.Stats(); stats.PutErrors != 3 || stats.Puts != 1 || stats.Hits != 1 {
		t.Errorf("stats %+v", stats)
	}
}

func TestTooLarge(t *testing.T) {
	s := open(t, Options{MaxBytes: 2 * block})
	cachetest.MustPut(t, s, testKey, cachetest.Item(1, block))
	if err := s.Put(t.Context(), cachetest.Key(2), cachetest.Item(2, 2*block)); !errors.Is(err, cache.ErrTooLarge) {
		t.Errorf("Put = %v, want ErrTooLarge", err)
	}
}

// strew puts things into the folder that no kiln made (jax-ml/jax#39880: one
// stray file made every later write fail).
func strew(t *testing.T, s *Store) (foreign int) {
	t.Helper()
	prefix := s.prefixPath(testKey)
	key := testKey.String()
	for _, file := range []string{
		s.dir + "/notes.txt", s.dir + "/" + key + entrySuffix, prefix + "/notes.txt",
		prefix + "/" + key, prefix + "/" + strings.ToUpper(key) + entrySuffix,
		prefix + "/" + cachetest.Key(2).String() + entrySuffix,
	} {
		if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		foreign++
	}
	for _, dir := range []string{s.dir + "/zz", s.dir + "/AB", prefix + "/folder", prefix + "/" + tempPrefix + "folder"} {
		if err := os.MkdirAll(dir+"/deep", 0o700); err != nil {
			t.Fatal(err)
		}
		foreign++
	}
	if err := os.Symlink("/", prefix+"/"+tempPrefix+"link"); err != nil {
		t.Fatal(err)
	}
	return foreign + 1
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTrimLeavesForeignThings(t *testing.T) {
	s := open(t, Options{})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	foreign := strew(t, s)
	before := names(t, s.dir)
	var fresh, stale = s.prefixPath(testKey) + "/" + tempName(), s.prefixPath(testKey) + "/" + tempName()
	for _, temp := range []string{fresh, stale} {
		if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * leftoverAfter)
	if err := os.Chtimes(stale, long, long); err != nil {
		t.Fatal(err)
	}
	done, err := s.Trim(t.Context(), 0)
	want := cache.Trimmed{Entries: 1, Bytes: block, Leftovers: 1, Foreign: foreign}
	if err != nil || done != want {
		t.Errorf("Trim = %+v, %v; want %+v", done, err, want)
	}
	expect := slices.DeleteFunc(append(before, fresh), func(p string) bool { return p == s.entryPath(testKey) })
	slices.Sort(expect)
	after := names(t, s.dir)
	slices.Sort(after)
	if !slices.Equal(expect, after) {
		t.Errorf("left:\n%s\nwant:\n%s", strings.Join(after, "\n"), strings.Join(expect, "\n"))
	}
	wantReplaced(t, s)
	if got := s.Stats().UpkeepErrors; got != 0 {
		t.Errorf("%d faults of upkeep", got)
	}
}
