package disk

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
)

// The tests of this file start the test binary again, as other processes that
// use the same folder. A child is told what to do by its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "child" {
		millis, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = hammer(os.Args[2], time.Duration(millis)*time.Millisecond)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "claim" {
		holdClaim(os.Args[2], os.Args[3])
	}
	os.Exit(m.Run())
}

// hammerKeys are few, so that processes meet. The value under each key begins
// with the key; length and the rest depend on the writer's round.
const hammerKeys = 24

func hammerItem(k, round int) cache.Item {
	key := cachetest.Key(k)
	item := cachetest.Item(round, 200+round%64*300)
	item.Value = append(key[:], item.Value...)
	return item
}

func checkHammerItem(k int, got cache.Item) error {
	var round int
	if _, err := fmt.Sscanf(got.Label, "test item %d of", &round); err != nil {
		return fmt.Errorf("key %d: label %q was never stored", k, got.Label)
	}
	if want := hammerItem(k, round); want.Label != got.Label || !bytes.Equal(want.Value, got.Value) {
		return fmt.Errorf("key %d: value is not what goes with label %q", k, got.Label)
	}
	return nil
}

// hammer uses the cache from 8 goroutines until the time is up, prints "hits
// misses puts", and returns an error for whatever a launch would notice.
func hammer(dir string, long time.Duration) error {
	// Small enough that the writers trim all the time.
	s, err := Open(Options{Dir: dir, MaxBytes: 40 * 2 * block})
	if err != nil {
		return err
	}
	ctx := context.Background()
	end := time.Now().Add(long)
	errs := make(chan error, 8)
	for g := range 8 {
		go func() {
			rnd := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(g)))
			for time.Now().Before(end) {
				k := rnd.IntN(hammerKeys)
				switch n := rnd.IntN(100); {
				case n < 25:
					if err := s.Put(ctx, cachetest.Key(k), hammerItem(k, rnd.IntN(1<<20))); err != nil {
						errs <- err
						return
					}
				case n == 25:
					if _, err := s.Trim(ctx, 0); err != nil {
						errs <- err
						return
					}
				case n == 26:
					for _, err := range s.Verify(ctx) {
						if err != nil {
							errs <- err
							return
						}
					}
				default:
					item, err := s.Get(ctx, cachetest.Key(k))
					if err == nil {
						err = checkHammerItem(k, item)
					} else if cache.MissReason(err) == cache.Absent {
						err = nil
					}
					if err != nil {
						errs <- err
						return
					}
				}
			}
			errs <- nil
		}()
	}
	for range 8 {
		if e := <-errs; e != nil && err == nil {
			err = e
		}
	}
	if e := s.Close(); err == nil {
		err = e
	}
	stats := s.Stats()
	fmt.Println(stats.Hits, stats.Missed(), stats.Puts)
	return err
}

func startChild(t *testing.T, dir string, long time.Duration, out io.Writer) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "child", dir, strconv.FormatInt(long.Milliseconds(), 10))
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// wantSound checks the folder after many processes have used it.
func wantSound(t *testing.T, dir string) {
	t.Helper()
	s := open(t, Options{Dir: dir})
	for info, err := range s.Verify(t.Context()) {
		if err != nil {
			t.Errorf("%s: %v", info.Place, err)
		}
	}
	s.now = func() time.Time { return time.Now().Add(2 * leftoverAfter) }
	if _, err := s.Trim(t.Context(), 1<<40); err != nil {
		t.Errorf("Trim: %v", err)
	}
	if u, err := s.Usage(t.Context()); err != nil || u.Leftovers != 0 || u.Foreign != 0 {
		t.Errorf("Usage = %+v, %v; want nothing but entries", u, err)
	}
}

// Four processes of eight goroutines read, write, trim, clear and verify
// (triton-lang/triton PR#11319: the code of one writer, the data of another;
// sgl-project/sglang PR#34231: a clear beside compiles).
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir() + "/cache"
	var outs [4]bytes.Buffer
	var cmds [4]*exec.Cmd
	for i := range cmds {
		cmds[i] = startChild(t, dir, 1500*time.Millisecond, &outs[i])
	}
	var hits, misses, puts int
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v\n%s", i, err, outs[i].Bytes())
			continue
		}
		var h, m, p int
		if _, err := fmt.Sscan(outs[i].String(), &h, &m, &p); err != nil {
			t.Errorf("process %d printed %q: %v", i, outs[i].String(), err)
		}
		hits, misses, puts = hits+h, misses+m, puts+p
	}
	if hits < 20 || misses < 1 || puts < 20 {
		t.Errorf("only %d hits, %d misses, %d puts: the processes did not meet", hits, misses, puts)
	}
	t.Logf("%d hits, %d misses, %d puts", hits, misses, puts)
	wantSound(t, dir)
}

// Writers are killed at random moments while two processes check all they read.
func TestKilledWriters(t *testing.T) {
	dir := t.TempDir() + "/cache"
	const long = 1800 * time.Millisecond
	var outs [2]bytes.Buffer
	var readers [2]*exec.Cmd
	for i := range readers {
		readers[i] = startChild(t, dir, long, &outs[i])
	}
	kills := 0
	var group sync.WaitGroup
	for end := time.Now().Add(long); time.Now().Before(end); kills++ {
		cmd := startChild(t, dir, time.Minute, io.Discard)
		time.Sleep(time.Duration(10+rand.IntN(20)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		group.Go(func() { _ = cmd.Wait() })
	}
	group.Wait()
	for i, cmd := range readers {
		if err := cmd.Wait(); err != nil {
			t.Errorf("reader %d: %v\n%s", i, err, outs[i].Bytes())
		}
	}
	if kills < 10 {
		t.Errorf("only %d writers were killed", kills)
	}
	s := open(t, Options{Dir: dir})
	u, err := s.Usage(t.Context())
	t.Logf("%d writers killed, %d unfinished files left, %v", kills, u.Leftovers, err)
	wantSound(t, dir)
}

// Sixteen processes start at once on a folder that is not there
// (pytorch/torchdynamo#1347, pocl/pocl#430).
func TestManyStartsAtOnce(t *testing.T) {
	dir := t.TempDir() + "/a/b/cache"
	var outs [16]bytes.Buffer
	var cmds [16]*exec.Cmd
	for i := range cmds {
		cmds[i] = startChild(t, dir, 30*time.Millisecond, &outs[i])
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v\n%s", i, err, outs[i].Bytes())
		}
		if lines := bufio.NewScanner(strings.NewReader(outs[i].String())); !lines.Scan() {
			t.Errorf("process %d printed nothing", i)
		}
	}
	wantSound(t, dir)
}
