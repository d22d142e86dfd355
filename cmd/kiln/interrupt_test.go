package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt: an interrupt ends kiln whatever it does, soon, and leaves
// nothing temporary behind.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	kernel := filepath.Join(dir, "spin.c")
	if err := os.WriteFile(kernel, []byte("void spin(volatile int *p) { while (*p == 0) { } }\nint one(void) { return 1; }\n"+
		"int slow(int n) { volatile int i; for (i = 0; i < n; i++) { } return i; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("default<O3>,", 8000) + "globaldce"
	for name, args := range map[string][]string{
		"kernel":  {"run", kernel, "spin", "i32[1]=0"},
		"bench":   {"bench", kernel, "slow", "i32=100000000", "--time", "10m"},
		"compile": {"compile", kernel, "one", "--explain", "-o", filepath.Join(dir, "one.o"), "--pipeline", long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temporary := t.TempDir()
			c := exec.Command("kiln", args...)
			c.Env = append(os.Environ(), "TMPDIR="+temporary, "KILN_CACHE_DIR="+filepath.Join(dir, "cache"))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second) // until it launches or compiles
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatalf("it ended by itself: %v", err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			select {
			case err := <-ended:
				var exit *exec.ExitError
				if !errors.As(err, &exit) {
					t.Fatalf("it ended with %v", err)
				}
				status := exit.Sys().(syscall.WaitStatus)
				if status.ExitStatus() != exitInterrupted && status.Signal() != syscall.SIGINT {
					t.Errorf("it ended with %v, want the interrupt or exit code %d", err, exitInterrupted)
				}
			case <-time.After(10 * time.Second):
				c.Process.Kill()
				t.Fatal("it did not end")
			}
			left, err := os.ReadDir(temporary)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
