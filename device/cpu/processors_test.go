package cpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/device"
)

func TestDeviceNames(t *testing.T) {
	first, second := open(t, 1), open(t, 1)
	if first.Name() == second.Name() || !strings.HasPrefix(first.Name(), "cpu:") {
		t.Errorf("devices %q and %q", first.Name(), second.Name())
	}
	freed := first.Name()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if third := open(t, 1); third.Name() != freed {
		t.Errorf("the device after %q was closed is %q", freed, third.Name())
	}
}

// allowed returns the processors that the process may run on.
func allowed(t *testing.T) (list []int) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	for p := range 1024 {
		if set.IsSet(p) {
			list = append(list, p)
		}
	}
	return list
}

// TestProcessors: the threads of the pool run where they are told to.
func TestProcessors(t *testing.T) {
	processors := allowed(t)
	last := processors[len(processors)-1:]
	d, err := Open(Options{Workers: 3, Processors: last})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	w := newWorkload(slices.Repeat([]time.Duration{200 * time.Microsecond}, 20)...)
	run(t, kernel(t, d, "work"), over(20, w.params))
	awaitWorkers(t, 2)
	for _, thread := range workerThreads(t) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%s/status", thread))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("Cpus_allowed_list:\t%d\n", last[0]); !strings.Contains(string(status), want) {
			t.Errorf("thread %s: no %q in its status", thread, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	// As many threads work as there are processors.
	d, err = Open(Options{Processors: last})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	run(t, kernel(t, d, "work"), over(20, w.params))
	if n := len(workerThreads(t)); n != 0 {
		t.Errorf("%d threads beside the caller's, for one processor", n)
	}
	for _, bad := range [][]int{{-1}, {1 << 20}, {last[0], 1023}} {
		if bad[len(bad)-1] == last[0] {
			continue
		}
		d, err := Open(Options{Processors: bad})
		if d != nil || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("processor %d is none of", bad[len(bad)-1])) {
			t.Errorf("processors %v: %v, %v", bad, d, err)
		}
	}
}

func TestParseProcessors(t *testing.T) {
	for list, want := range map[string][]int{
		"": nil, "0": {0}, "0-3": {0, 1, 2, 3}, "0-1,8,10-11": {0, 1, 8, 10, 11},
	} {
		got, err := parseProcessors(list)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v, %s", list, err, diff)
		}
	}
	for _, list := range []string{"a", "1-", "-1", "3-2", "0-99999999", "1,,2"} {
		if got, err := parseProcessors(list); got != nil || err == nil {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

func TestNode(t *testing.T) {
	if _, err := os.Stat("/sys/devices/system/node/node0"); err == nil {
		processors, err := Node(0)
		if err != nil || len(processors) == 0 || !slices.IsSorted(processors) {
			t.Errorf("node 0: %v, %v", processors, err)
		}
	}
	if processors, err := Node(9999); processors != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("node 9999: %v, %v", processors, err)
	}
}

// TestFreedMemoryFaults: a kernel that uses a freed buffer meets no other's
// memory, where the system has not given the place away again.
func TestFreedMemoryFaults(t *testing.T) {
	d := open(t, 1)
	b, err := d.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	f := kernel(t, d, "null_store") // stores through its argument
	address := b.Address()
	l := over(1, block(&address))
	run(t, f, l)
	if err := b.Free(); err != nil {
		t.Fatal(err)
	}
	switch err := f.Launch(l); {
	case err == nil:
		t.Skip("the place has been given away again")
	case !errors.Is(err, device.ErrFault):
		t.Errorf("a kernel that uses freed memory: %v", err)
	}
}

// TestCopyBetweenDevices: each device's streams copy to and from the other's memory.
func TestCopyBetweenDevices(t *testing.T) {
	first, second := open(t, 1), open(t, 2)
	var buffers []device.Buffer
	for _, d := range []*Device{first, second} {
		b, err := d.Alloc(16)
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, b)
	}
	for i, d := range []*Device{first, second} {
		from, to := buffers[i], buffers[1-i]
		content := fmt.Sprintf("sixteen bytes, %d", i)
		if err := from.Write(0, []byte(content)); err != nil {
			t.Fatal(err)
		}
		s, err := d.Stream()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Copy(t.Context(), to, 0, from, 0, 16); err != nil {
			t.Fatal(err)
		}
		if err := s.Synchronize(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := string(to.Host()); got != content {
			t.Errorf("copied %q, want %q", got, content)
		}
	}
}

// TestStreamsLeaveNothing: idle streams hold no goroutine, closed devices no
// memory.
func TestStreamsLeaveNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	d := open(t, 2)
	f := kernel(t, d, "empty")
	for range 50 {
		s, err := d.Stream()
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := s.Launch(t.Context(), f, over(3, nil), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Synchronize(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	var addresses []uint64
	for range 1000 {
		b, err := d.Alloc(1 << 16)
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, b.Address())
	}
	if n := mapped(t, addresses); n != len(addresses) {
		t.Errorf("%d buffers of %d lie in mappings", n, len(addresses))
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	// Others may have taken a place since.
	if n := mapped(t, addresses); n > 100 {
		t.Errorf("%d buffers of %d are still mapped after the device was closed", n, len(addresses))
	}
}

// mapped returns how many of the addresses are in use.
func mapped(t *testing.T, addresses []uint64) (n int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			t.Fatal(err)
		}
		for _, a := range addresses {
			if from <= a && a < to {
				n++
			}
		}
	}
	return n
}
