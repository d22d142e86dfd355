package cpu

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/device"
)

func TestFaults(t *testing.T) {
	var null uint64
	wild := uint64(0xdead000)
	notCanonical := uint64(0x8000_0000_0000_0000)
	division := [2]int32{1, 0}
	overflow := [2]int32{-1 << 31, -1}
	tests := []struct {
		name, entry string
		params      []byte
		signal      syscall.Signal
		address     uintptr
		anyAddress  bool
		overflow    bool
	}{
		{name: "null store", entry: "null_store", params: block(&null), signal: syscall.SIGSEGV},
		{name: "wild store", entry: "null_store", params: block(&wild), signal: syscall.SIGSEGV, address: 0xdead000},
		{name: "not canonical", entry: "null_store", params: block(&notCanonical), signal: syscall.SIGSEGV},
		{name: "division by zero", entry: "divide", params: block(&division), signal: syscall.SIGFPE, anyAddress: true},
		{name: "division overflow", entry: "divide", params: block(&overflow), signal: syscall.SIGFPE, anyAddress: true},
		{name: "trap", entry: "trap", signal: syscall.SIGILL, anyAddress: true},
		{name: "debug trap", entry: "debug_trap", signal: syscall.SIGTRAP, anyAddress: true},
		{name: "call of null", entry: "call", params: block(&null), signal: syscall.SIGSEGV},
		{name: "call of a wild address", entry: "call", params: block(&wild), signal: syscall.SIGSEGV, address: 0xdead000},
		{name: "tail call of null", entry: "tail_call", params: block(&null), signal: syscall.SIGSEGV},
		{name: "endless recursion", entry: "recurse", signal: syscall.SIGSEGV, anyAddress: true, overflow: true},
		{name: "20 MiB frame", entry: "large_frame", signal: syscall.SIGSEGV, anyAddress: true, overflow: true},
	}
	d := open(t, 2)
	good := kernel(t, d, "mark")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := kernel(t, d, tt.entry)
			for _, groups := range []int{1, 3, 100} {
				err := f.Launch(over(groups, tt.params))
				var got *device.FaultError
				if !errors.As(err, &got) || !errors.Is(err, device.ErrFault) {
					t.Fatalf("error %v, want a fault", err)
				}
				if got.Kernel != tt.entry || got.Signal != tt.signal || got.StackOverflow != tt.overflow {
					t.Errorf("%+v, want signal %v, stack overflow %v", got, tt.signal, tt.overflow)
				}
				if !tt.anyAddress && got.Address != tt.address {
					t.Errorf("address %#x, want %#x", got.Address, tt.address)
				}
				text := int64(f.native.textEnd - f.native.text)
				if tt.entry != "tail_call" && tt.entry != "recurse" && (got.Offset < 0 || got.Offset > 300) || got.Offset < -text && tt.entry != "tail_call" {
					t.Errorf("offset %#x is not in the function", got.Offset)
				}
				if err := mark(good, device.Dim{X: 100, Y: 1, Z: 1}); err != nil {
					t.Fatalf("launch after a fault: %v", err)
				}
			}
		})
	}
}

// TestFaultOffset holds the offset to the instruction that traps.
func TestFaultOffset(t *testing.T) {
	f := kernel(t, open(t, 1), "trap")
	err := f.Launch(over(1, nil))
	var fault *device.FaultError
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	if fault.Offset != 0 || fault.Address != f.native.entry {
		t.Errorf("%+v, want the first instruction, %#x", fault, f.native.entry)
	}
}

func TestFaultRestoresUnits(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := open(t, 1)
	spoil, check := kernel(t, d, "units"), kernel(t, d, "units_check")
	run(t, check, over(1, nil))
	if err := spoil.Launch(over(1, nil)); !errors.Is(err, device.ErrFault) {
		t.Fatal(err)
	}
	run(t, check, over(1, nil))
}

func TestGoPanicsStillRecover(t *testing.T) {
	open(t, 2)
	defer func() {
		err, ok := recover().(runtime.Error)
		if !ok || !strings.Contains(err.Error(), "nil pointer") {
			t.Errorf("recovered %v", err)
		}
	}()
	var p *device.Launch
	p.SharedBytes = 1
	t.Error("no panic")
}

// threadOf returns the thread pointer of the calling goroutine's thread.
func threadOf(t *testing.T, d *Device) uint64 {
	t.Helper()
	thread := new(uint64)
	run(t, kernel(t, d, "who"), over(1, block(&thread)))
	return *thread
}

type elsewhereParams struct{ caller, ticks uint64 }

func TestFaultInWorker(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := open(t, 4)
	p := &elsewhereParams{threadOf(t, d), 1000 * tickRate()}
	good := kernel(t, d, "mark")
	untilWorkersTookPart(t, 100, func() bool {
		err := kernel(t, d, "elsewhere").Launch(over(32, block(p)))
		if err == nil {
			return false
		}
		var fault *device.FaultError
		if !errors.As(err, &fault) || fault.Signal != syscall.SIGSEGV || fault.Address != 16 {
			t.Fatalf("error %v, want a fault at 0x10", err)
		}
		if err := mark(good, device.Dim{X: 50, Y: 1, Z: 1}); err != nil {
			t.Fatal(err)
		}
		return true
	})
}

// untilWorkersTookPart repeats what tells whether workers had a part in it,
// until they had three times. The system may not give them a processor in time.
func untilWorkersTookPart(t *testing.T, tries int, launch func() bool) {
	t.Helper()
	had := 0
	for range tries {
		if launch() {
			if had++; had == 3 {
				return
			}
		}
	}
	t.Fatalf("workers took part in %d launches of %d", had, tries)
}

// TestFaultStopsTheRest: once a group has faulted, on whatever thread, the
// others soon stop. Run to the end, each launch takes most of a minute.
func TestFaultStopsTheRest(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := open(t, 4)
	thread := threadOf(t, d)
	for range 3 {
		start := time.Now()
		halfway := &struct{ group, ticks uint64 }{40, 1000 * tickRate()}
		if err := kernel(t, d, "halfway").Launch(over(100_000, block(halfway))); !errors.Is(err, device.ErrFault) {
			t.Fatal(err)
		}
		elsewhere := &elsewhereParams{thread, 1000 * tickRate()}
		if err := kernel(t, d, "elsewhere").Launch(over(100_000, block(elsewhere))); !errors.Is(err, device.ErrFault) {
			t.Fatal(err)
		}
		if elapsed := time.Since(start); elapsed > 5*time.Second {
			t.Fatalf("the launches took %v", elapsed)
		}
	}
}

func TestFaultsWhileCollecting(t *testing.T) {
	d := open(t, 2)
	stop := make(chan struct{})
	var collector, launchers sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for i := range 4 {
		launchers.Go(func() {
			bad, good := kernel(t, d, "null_store"), kernel(t, d, "mark")
			for j := range 500 {
				address := uint64(i*4096 + j)
				err := bad.Launch(over(1, block(&address)))
				var fault *device.FaultError
				if !errors.As(err, &fault) || fault.Address != uintptr(address) {
					t.Errorf("error %v, want a fault at %#x", err, address)
					return
				}
				if err := mark(good, device.Dim{X: 9, Y: 1, Z: 1}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	launchers.Wait()
	close(stop)
	collector.Wait()
}

var child = flag.String("child", "", "run as the child of a test: what to do")

// TestChild is what runs in the processes that are meant to die.
func TestChild(t *testing.T) {
	d := open(t, 1)
	switch *child {
	case "":
	case "fault in libc":
		bad := uint64(16)
		err := kernel(t, d, "inside_libc").Launch(over(1, block(&bad)))
		t.Log("survived: ", err)
	case "sent signal":
		// A signal that is sent to a thread in a kernel is no fault of the kernel's.
		runtime.LockOSThread()
		begun, thread := new(uint32), unix.Gettid()
		p := &struct {
			begun, ended *uint32
			ticks        uint64
		}{begun, new(uint32), 1_000_000 * tickRate()}
		go func() {
			for atomic.LoadUint32(begun) == 0 {
				time.Sleep(time.Millisecond)
			}
			unix.Tgkill(unix.Getpid(), thread, unix.SIGSEGV)
		}()
		err := kernel(t, d, "flags").Launch(over(1, block(p)))
		t.Log("survived: ", err)
	}
}

// TestNotCaught shows that what is not a kernel's fault still ends the process.
func TestNotCaught(t *testing.T) {
	if *child != "" {
		t.Skip("in a child")
	}
	for _, what := range []string{"fault in libc", "sent signal"} {
		t.Run(what, func(t *testing.T) {
			out, err := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v", "-child="+what).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || strings.Contains(string(out), "survived") {
				t.Fatalf("child lived on: %v\n%s", err, out)
			}
			if !strings.Contains(string(out), "SIGSEGV") {
				t.Errorf("Go's report of the signal is missing:\n%s", out)
			}
		})
	}
}
