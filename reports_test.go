package kiln_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/disk"
)

// The tests of this file are named after public reports of other systems.

// AdaptiveCpp/AdaptiveCpp#2028: of two kernels alike but for a captured value the
// second ran the first's code.
func TestCapturedValuesAdaptiveCpp2028(t *testing.T) {
	dir := t.TempDir()
	for round := range 2 {
		e := open(t, kiln.Options{Cache: kiln.CacheOptions{Dir: dir}})
		k := kernel(t, e, "horner")
		for i := range 60 {
			var y float32
			if err := k.Launch(ctx, kiln.Arg(float32(2)), kiln.Const(float32(i)), kiln.Arg(float32(1)), kiln.Const(float32(i%3)), kiln.Result(&y)); err != nil {
				t.Fatal(err)
			}
			if want := float32(i)*4 + 2 + float32(i%3); y != want {
				t.Errorf("round %d: with %d captured y = %g, want %g", round, i, y, want)
			}
		}
		if s := e.Stats(); s.Compiles != int64(60*(1-round)) || s.CacheHits != int64(60*round) {
			t.Errorf("round %d: %d compiles, %d hits", round, s.Compiles, s.CacheHits)
		}
	}
}

// cupy/cupy#9664 and numba/numba#8888: settings that change nothing dropped the
// whole cache.
func TestSettingsThatChangeNothingCupy9664(t *testing.T) {
	dir := t.TempDir()
	for i, o := range []kiln.Options{
		{},
		{Workers: 1},
		{DumpDir: t.TempDir()},
		{Record: t.TempDir()},
		{Events: kiln.Events{CompileBegin: func(kiln.CompileInfo) {}}},
		{Worker: testWorker(t)},
		{Cache: kiln.CacheOptions{MaxBytes: 1 << 20, MemoryBytes: 1 << 20, Wait: time.Second, NoSystem: true}},
		{Cache: kiln.CacheOptions{ReadOnly: true}},
	} {
		o.Cache.Dir = dir
		e := open(t, o)
		if err := horner(e); err != nil {
			t.Fatal(err)
		}
		if s := e.Stats(); (s.Compiles == 0) != (i > 0) {
			t.Errorf("options %d: %d compiles", i, s.Compiles)
		}
	}
}

// pocl/pocl#914: the cache off and a folder set was an assertion. All pairs of
// what can be said of the cache run, and write where they should.
func TestAllSwitchesPocl914(t *testing.T) {
	for _, off := range []bool{false, true} {
		for _, readOnly := range []bool{false, true} {
			for _, dir := range []string{"", "new", "file"} {
				for _, system := range []string{"", "new"} {
					for _, bound := range []int64{0, 4096, 1 << 40} {
						name := fmt.Sprintf("off=%t readOnly=%t dir=%q system=%q bound=%d", off, readOnly, dir, system, bound)
						base := t.TempDir()
						t.Setenv("XDG_CACHE_HOME", base)
						o := kiln.CacheOptions{Off: off, ReadOnly: readOnly, MaxBytes: bound}
						switch dir {
						case "new":
							o.Dir = filepath.Join(base, "a", "b")
						case "file":
							o.Dir = filepath.Join(base, "file")
							if err := os.WriteFile(o.Dir, nil, 0o600); err != nil {
								t.Fatal(err)
							}
						}
						if system != "" {
							o.System = filepath.Join(base, "system")
						}
						e, err := kiln.Open(kiln.Options{Cache: o, Workers: 1})
						if err != nil {
							t.Errorf("%s: %v", name, err)
							continue
						}
						if err := horner(e); err != nil {
							t.Errorf("%s: %v", name, err)
						}
						if err := e.Close(); err != nil {
							t.Errorf("%s: Close: %v", name, err)
						}
						wrote := strings.Contains(listing(t, base), ".kiln")
						if want := !off && !readOnly && dir != "file" && bound != 4096; wrote != want && bound != 4096 {
							t.Errorf("%s: entries written: %t", name, wrote)
						}
					}
				}
			}
		}
	}
}

// sgl-project/sglang PR#34231 and Xilinx/mlir-aie#2621: a cache was cleared while
// others compiled from it, or several filled the folder of one key.
func TestClearBesideCompilesSglang34231(t *testing.T) {
	dir := t.TempDir() + "/cache"
	var stop atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		s, err := disk.Open(disk.Options{Dir: dir})
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		for !stop.Load() {
			if _, err := s.Trim(ctx, 0); err != nil {
				t.Error(err)
			}
			_ = os.RemoveAll(dir)
			time.Sleep(time.Millisecond)
		}
	})
	right, compiles, _ := runMany(t, 4, 25, dir)
	stop.Store(true)
	group.Wait()
	if right != 100 || compiles < 25 {
		t.Errorf("%d right answers, %d compiles; want 100 and 25 at least", right, compiles)
	}
}

// smallChild compiles kernels into a cache on a file system of 256 KiB of its
// own until long after that is full, and prints what happened: dir.
func smallChild(args []string) error {
	if err := syscall.Mount("none", args[0], "tmpfs", 0, "size=256k"); err != nil {
		fmt.Println("no mount:", err)
		return nil
	}
	dir := args[0] + "/cache"
	warned := 0
	launch := func() (kiln.Stats, error) {
		e, err := kiln.Open(kiln.Options{
			Cache:  kiln.CacheOptions{Dir: dir},
			Events: kiln.Events{Warning: func(error) { warned++ }},
		})
		if err != nil {
			return kiln.Stats{}, err
		}
		defer e.Close()
		m, err := e.Load(ctx, kiln.Bytes("many.ll", []byte(manyKernels(100))))
		if err != nil {
			return kiln.Stats{}, err
		}
		for i := range 100 {
			k, err := m.Kernel(fmt.Sprintf("k%d", i))
			if err != nil {
				return kiln.Stats{}, err
			}
			var y float64
			if err := k.Launch(ctx, kiln.Arg(0.5), kiln.Result(&y)); err != nil {
				return kiln.Stats{}, err
			}
			if want := 0.5 + float64(max(i, 1)); y != want {
				return kiln.Stats{}, fmt.Errorf("kernel %d: %g, want %g", i, y, want)
			}
		}
		return e.Stats(), nil
	}
	first, err := launch()
	if err != nil {
		return err
	}
	second, err := launch()
	if err != nil {
		return err
	}
	temps, err := filepath.Glob(dir + "/*/tmp-*")
	fmt.Println(first.Compiles == 100, second.CacheHits > 5, second.CacheHits < 100, second.CacheHits+second.Compiles, warned, len(temps), err)
	return nil
}

// buchgr/bazel-remote#712, #788: a full disk was the end. Launches go on, hits go
// on, it is told once by each engine, and no unfinished file stays.
func TestFullDiskBazelRemote712(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "child", "small", t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Skipf("this system allows no mount namespace: %v", err)
	}
	if err := child.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	if strings.HasPrefix(out.String(), "no mount") {
		t.Skip(out.String())
	}
	if want := "true true true 100 2 0 <nil>\n"; out.String() != want {
		t.Errorf("got  %swant %s", out.Bytes(), want)
	}
}

// otherUserChild uses the cache folder of somebody else: dir.
func otherUserChild(args []string) error {
	var warnings []string
	e, err := kiln.Open(kiln.Options{
		Cache:  kiln.CacheOptions{Dir: args[0]},
		Events: kiln.Events{Warning: func(err error) { warnings = append(warnings, err.Error()) }},
	})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := horner(e); err != nil {
		return err
	}
	fmt.Println(len(warnings), warnings)
	return nil
}

// triton-lang/triton#518 and tile-ai/TileOPs#1625: a folder or lock that belongs
// to the first user was an error for all others.
func TestAnotherUsersFolderTriton518(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("becoming another user needs root")
	}
	base, err := os.MkdirTemp("", "kiln-users-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	// The test binary is in a folder that the other user need not reach.
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(base, "test")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "cache")
	e := open(t, kiln.Options{Cache: kiln.CacheOptions{Dir: dir}})
	if err := horner(e); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program, "child", "other user", dir)
	child.Dir = base
	child.Env = []string{"HOME=/nonexistent"}
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := child.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "1 [") || !strings.Contains(string(out), "permission denied") {
		t.Errorf("%v: %s", err, out)
	}
}

// hangingStore is a remote that answers nothing.
type hangingStore struct{ cache.Store }

func (hangingStore) Name() string { return "hanging" }

func (hangingStore) Get(context.Context, cache.Key) (cache.Item, error) { select {} }

func (hangingStore) Put(context.Context, cache.Key, cache.Item) error { select {} }

func (hangingStore) Close() error { return nil }

// mozilla/sccache#2820: each compile waited for a sick remote. Launches wait three
// times at most, and the statistics tell errors from misses.
func TestSickRemoteSccache2820(t *testing.T) {
	g := cache.NewGuarded(hangingStore{}, cache.GuardOptions{Wait: 20 * time.Millisecond})
	e := open(t, kiln.Options{Cache: kiln.CacheOptions{Further: []cache.Store{g}}})
	if err := horner(e); err != nil {
		t.Fatal(err)
	}
	s := e.Stats()
	remote := s.Tiers[len(s.Tiers)-1]
	if remote.Name != "hanging" || remote.GetErrors < 2 || remote.Missed() != 0 || remote.PutErrors != 2 {
		t.Errorf("%+v", remote)
	}
	began := time.Now()
	if _, err := g.Get(t.Context(), cache.Key{}); !errors.Is(err, cache.ErrResting) || time.Since(began) > time.Second {
		t.Errorf("afterwards: %v in %v", err, time.Since(began))
	}
}
