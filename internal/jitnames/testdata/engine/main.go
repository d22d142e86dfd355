// Engine launches spin_kernel of a bitcode file, compiled by kiln with its debug
// information and known to gdb. It says "ready" before, and the kernel ends when
// a byte comes from standard input.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device/cpu"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	ctx := context.Background()
	e, err := kiln.Open(kiln.Options{
		Names:   cpu.Names{Debugger: true},
		Compile: compile.Options{Debug: true},
		Cache:   kiln.CacheOptions{Off: true},
	})
	if err != nil {
		return err
	}
	defer e.Close()
	m, err := e.Load(ctx, kiln.File(path))
	if err != nil {
		return err
	}
	k, err := m.Kernel("spin_kernel")
	if err != nil {
		return err
	}
	// The first launch compiles, and ends at once.
	var stop atomic.Int64
	stop.Store(1)
	if err := k.Launch(ctx, kiln.Arg(&stop)); err != nil {
		return err
	}
	stop.Store(0)
	go func() {
		io.ReadFull(os.Stdin, make([]byte, 1))
		stop.Store(1)
	}()
	fmt.Println("ready")
	return k.Launch(ctx, kiln.Arg(&stop))
}
