package disk

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

// holdClaim is a process that claims a key, says so, and sleeps.
func holdClaim(dir, number string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	s, err := Open(Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	_, had := s.Claim(context.Background(), cachetest.Key(n), time.Minute)
	fmt.Println(had)
	time.Sleep(time.Hour)
}

func startHolder(t *testing.T, dir string, n int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "claim", dir, strconv.Itoa(n))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "true\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	return cmd
}

// claim claims with the bound and returns how long it took.
func claim(t *testing.T, s *Store, n int, wait time.Duration) (release func(), had bool, took time.Duration) {
	t.Helper()
	began := time.Now()
	release, had = s.Claim(t.Context(), cachetest.Key(n), wait)
	return release, had, time.Since(began)
}

// A claim keeps others out, in this process and in others, of that key alone.
func TestClaim(t *testing.T) {
	dir := t.TempDir() + "/cache"
	a, b := open(t, Options{Dir: dir}), open(t, Options{Dir: dir})
	release, had, _ := claim(t, a, 1, 0)
	if !had {
		t.Fatal("no claim in an empty folder")
	}
	for name, s := range map[string]*Store{"the same store": a, "another": b} {
		if _, had, took := claim(t, s, 1, 30*time.Millisecond); had || took < 30*time.Millisecond || took > 10*time.Second {
			t.Errorf("%s: claimed %t after %v", name, had, took)
		}
		if release, had, _ := claim(t, s, 2, 0); !had {
			t.Errorf("%s: no claim on another key", name)
		} else {
			release()
		}
	}
	cancelled, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, had := b.Claim(cancelled, cachetest.Key(1), time.Hour); had {
		t.Error("claimed although it is taken")
	}
	time.AfterFunc(50*time.Millisecond, release)
	again, had, took := claim(t, b, 1, time.Minute)
	if !had || took < 40*time.Millisecond || took > 10*time.Second {
		t.Errorf("after the release: claimed %t after %v", had, took)
	}
	release() // again, which changes nothing
	if _, had, _ := claim(t, a, 1, 0); had {
		t.Error("a second release has given up the claim of another")
	}
	again()
	if stats := b.Stats(); stats.UpkeepErrors != 0 {
		t.Errorf("%d upkeep errors", stats.UpkeepErrors)
	}
	wantSound(t, dir)
}

// An owner that is killed blocks nobody, one that hangs nobody for longer than
// the bound (triton-lang/triton#518: a lock that outlives its first owner).
func TestClaimOfADeadOwner(t *testing.T) {
	dir := t.TempDir() + "/cache"
	s := open(t, Options{Dir: dir})
	holder := startHolder(t, dir, 1)
	if _, had, took := claim(t, s, 1, 50*time.Millisecond); had || took < 50*time.Millisecond {
		t.Errorf("claimed %t after %v beside a holder that lives", had, took)
	}
	if err := holder.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, had, took := claim(t, s, 1, 50*time.Millisecond); had || took > 10*time.Second {
		t.Errorf("claimed %t after %v beside a holder that hangs", had, took)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = holder.Process.Kill() })
	release, had, took := claim(t, s, 1, time.Minute)
	if !had || took > 10*time.Second {
		t.Errorf("claimed %t after %v beside a holder that is killed", had, took)
	}
	release()
}

// Where locks do not work there is no claim, and nothing waits.
func TestClaimWithoutLocks(t *testing.T) {
	for _, op := range []string{"openlocks", "lock", "unlock"} {
		mem := fsxtest.NewMem()
		faulty := &fsxtest.Faulty{FS: mem, Rule: func(c fsxtest.Call) fsxtest.Fault {
			if c.Op == op {
				return fsxtest.Fault{Err: syscall.ENOLCK}
			}
			return fsxtest.Fault{}
		}}
		s := open(t, Options{Dir: "/cache", FS: faulty})
		release, had, took := claim(t, s, 1, time.Minute)
		if had != (op == "unlock") || took > 10*time.Second {
			t.Errorf("%s fails: claimed %t after %v", op, had, took)
		}
		release()
		if n := s.Stats().UpkeepErrors; n != 1 {
			t.Errorf("%s fails: %d upkeep errors, want 1", op, n)
		}
		cachetest.MustPut(t, s, cachetest.Key(1), cachetest.Item(1, 100))
	}
	dir := t.TempDir() + "/cache"
	open(t, Options{Dir: dir})
	if _, had, _ := claim(t, open(t, Options{Dir: dir, ReadOnly: true}), 1, time.Minute); had {
		t.Error("a store that writes nothing claims a key")
	}
	if _, err := os.Stat(dir + "/" + locksName); err == nil {
		t.Error("a store that writes nothing has made a file")
	}
}

// Close gives up what is claimed.
func TestClaimEndsWithItsStore(t *testing.T) {
	dir := t.TempDir() + "/cache"
	a, b := open(t, Options{Dir: dir}), open(t, Options{Dir: dir})
	release, _, _ := claim(t, a, 1, 0)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if again, had, _ := claim(t, b, 1, 0); !had {
		t.Error("the claim outlives its store")
	} else {
		again()
	}
	release()
	if n := a.Stats().UpkeepErrors; n != 0 {
		t.Errorf("%d upkeep errors", n)
	}
	if _, had, took := claim(t, a, 1, time.Minute); had || took > time.Second {
		t.Errorf("a closed store: claimed %t after %v", had, took)
	}
	if r, had := cache.NewTiered(b).Claim(t.Context(), cachetest.Key(1), 0); !had {
		t.Error("no claim through a Tiered")
	} else {
		r()
	}
}
