package kiln_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/device"
)

// exitChild compiles and launches on four goroutines, says so, and ends as
// args[0] has it, args[1] microseconds later, in the middle of it all.
func exitChild(args []string) error {
	delay, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	busy := make(chan struct{})
	var once sync.Once
	e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}, Events: kiln.Events{
		CompileBegin: func(kiln.CompileInfo) { once.Do(func() { close(busy) }) },
	}})
	if err != nil {
		return err
	}
	m, err := e.Load(ctx, kiln.Bytes("many.ll", []byte(manyKernels(8))))
	if err != nil {
		return err
	}
	for i := range 4 {
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		if err != nil {
			return err
		}
		go func() {
			for n := float64(0); ; n++ {
				var y float64
				if err := k.Launch(ctx, kiln.Const(n), kiln.Result(&y)); err != nil || y != n+float64(max(i, 1)) {
					fmt.Fprintln(os.Stderr, y, err)
				}
			}
		}()
	}
	<-busy
	fmt.Println("busy")
	time.Sleep(time.Duration(delay) * time.Microsecond)
	switch args[0] {
	case "exit":
		go os.Exit(7)
		select {}
	case "exit after close":
		go e.Close()
		os.Exit(7)
	case "return":
		return nil
	case "panic":
		var p *int
		*p = 1
	case "terminated":
		time.Sleep(time.Minute)
	}
	return fmt.Errorf("it goes on")
}

// golang/go#11100, #11794, llvm/llvm-project PR#86830, #57124, apache/tvm#1363:
// a process crashed or hung at its end, since libraries end in another order than
// they began, or under threads that still use them. Of 200 processes that end
// with compiles in flight, each ends at once, and as it wanted to. Unloading kiln
// itself, as a plugin or with dlclose, has no case here: a Go program has no
// handle to unload, only a C library of kiln has.
func TestReport86830ExitsWithCompilesInFlight(t *testing.T) {
	processes := 200
	if testing.Short() || raceEnabled {
		processes = 40
	}
	ways := []string{"exit", "return", "terminated", "exit after close", "panic"}
	slots := make(chan struct{}, 2*runtime.NumCPU())
	var group sync.WaitGroup
	for i := range processes {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			way, delay := ways[i%len(ways)], i*i*37%20000
			status, stderr, err := exitOnce(way, delay)
			if err != nil {
				t.Errorf("%s after %d µs: %v", way, delay, err)
				return
			}
			right := false
			switch way {
			case "return":
				right = status.Exited() && status.ExitStatus() == 0
			case "terminated":
				right = status.Signaled() && status.Signal() == syscall.SIGTERM
			case "panic":
				// As Go ends it, with its own words.
				right = status.Exited() && status.ExitStatus() == 2 && strings.HasPrefix(stderr, "panic: runtime error: invalid memory address or nil pointer dereference")
				stderr = ""
			default:
				right = status.Exited() && status.ExitStatus() == 7
			}
			if way == "exit after close" {
				// Launches of an engine that closes have an error to tell.
				stderr = ""
			}
			if !right || stderr != "" {
				t.Errorf("%s after %d µs: wait status %#x, error stream %.2000s", way, delay, status, stderr)
			}
		})
	}
	group.Wait()
}

// exitOnce runs a child until it ends, which takes it no longer than 30 s.
func exitOnce(way string, delay int) (status syscall.WaitStatus, stderr string, err error) {
	c := exec.Command(os.Args[0], "child", "exit", way, strconv.Itoa(delay))
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, "", err
	}
	if err := c.Start(); err != nil {
		return 0, "", err
	}
	hung := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	line := make([]byte, len("busy\n"))
	if n, err := out.Read(line); string(line[:n]) != "busy\n" {
		c.Process.Kill()
		c.Wait()
		return 0, "", fmt.Errorf("it began with %q, %v; error stream %s", line[:n], err, errs.String())
	}
	if way == "terminated" {
		time.Sleep(time.Duration(delay) * time.Microsecond)
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			return 0, "", err
		}
	}
	c.Wait()
	if !hung.Stop() {
		return 0, "", errors.New("it did not end")
	}
	return c.ProcessState.Sys().(syscall.WaitStatus), errs.String(), nil
}

// signalsChild has handlers of its own for signals and faults, from before and
// after the engine, and prints what reaches them.
func signalsChild([]string) error {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1}
	before, after := make(chan os.Signal, 8), make(chan os.Signal, 8)
	signal.Notify(before, signals...)
	deliver := func(when string, to ...chan os.Signal) error {
		for _, s := range signals {
			if err := syscall.Kill(os.Getpid(), s.(syscall.Signal)); err != nil {
				return err
			}
			for _, c := range to {
				select {
				case got := <-c:
					if got != s {
						return fmt.Errorf("%s: got %v, want %v", when, got, s)
					}
				case <-time.After(20 * time.Second):
					return fmt.Errorf("%s: %v does not arrive", when, s)
				}
			}
		}
		return hostFaults(when)
	}
	if err := deliver("at first", before); err != nil {
		return err
	}
	e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}, Workers: 4})
	if err != nil {
		return err
	}
	if err := deliver("with the guard", before); err != nil {
		return err
	}
	signal.Notify(after, signals...)
	m, err := e.Load(ctx, kiln.Bytes("poke.ll", []byte("define i32 @poke(ptr %p, i32 %v) {\n  store volatile i32 %v, ptr %p\n  ret i32 %v\n}\n")))
	if err != nil {
		return err
	}
	poke, err := m.Kernel("poke")
	if err != nil {
		return err
	}
	launch := func() error {
		var y int32
		x := []int32{0}
		if err := poke.Launch(ctx, kiln.Arg(x), kiln.Arg(int32(7)), kiln.Result(&y)); err != nil || x[0] != 7 || y != 7 {
			return fmt.Errorf("a good launch: %d, %d, %w", x[0], y, err)
		}
		err := poke.Launch(ctx, kiln.Arg([]int32(nil)), kiln.Arg(int32(7)), kiln.Result(&y))
		if f, ok := errors.AsType[*device.FaultError](err); !ok || f.Signal != syscall.SIGSEGV {
			return fmt.Errorf("a launch that stores to null: %w", err)
		}
		return nil
	}
	for _, when := range []string{"after a compile", "after a fault in a kernel"} {
		if err := launch(); err != nil {
			return fmt.Errorf("%s: %w", when, err)
		}
		if err := deliver(when, before, after); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for n := int32(0); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				var y int32
				if err := poke.Launch(ctx, kiln.Arg([]int32{0}), kiln.Const(n), kiln.Result(&y)); err != nil || y != n {
					fmt.Println("beside signals:", y, err)
				}
			}
		})
	}
	for range 5 {
		if err := deliver("with compiles in flight", before, after); err != nil {
			return err
		}
	}
	close(stop)
	group.Wait()
	if err := e.Close(); err != nil {
		return err
	}
	if err := deliver("after Close", before, after); err != nil {
		return err
	}
	fmt.Println("all arrived")
	return nil
}

// hostFaults makes faults of Go's own on some goroutines, which recover them.
func hostFaults(when string) error {
	var wrong errorList
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			defer func() {
				r, ok := recover().(runtime.Error)
				if want := map[bool]string{true: "nil pointer dereference", false: "integer divide by zero"}[i%2 == 0]; !ok || !strings.Contains(r.Error(), want) {
					wrong.add(fmt.Errorf("%s: recovered %v, want %s", when, r, want))
				}
			}()
			debug.SetPanicOnFault(i == 0)
			var p *int
			if i%2 == 0 {
				*p = 1
			}
			fmt.Println(1 / len(os.Args[len(os.Args):]))
		})
	}
	group.Wait()
	return errors.Join(wrong.errs...)
}

type errorList struct {
	sync.Mutex
	errs []error
}

func (l *errorList) add(err error) {
	l.Lock()
	defer l.Unlock()
	l.errs = append(l.errs, err)
}

// golang/go#11794, #11100, llvm/llvm-project#57124: a library took the host's
// signals. The host's handlers for INT, TERM and HUP still run, those from before
// the engine too, and Go still makes panics of its own faults, whatever kiln has
// done by then.
func TestReport11794HostsHandlersStillRun(t *testing.T) {
	if stdout, stderr, err := childOutput(t, "signals", ""); err != nil || stdout != "all arrived\n" || stderr != "" {
		t.Errorf("%v, it printed %q and %.2000s", err, stdout, stderr)
	}
}
