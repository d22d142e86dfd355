// Spin makes the kernel of an object known, says "ready", and runs it until a byte
// comes from standard input. It does so twice.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/ffi"
	"github.com/kilnjit/kiln/internal/jitnames"
)

func main() {
	var o jitnames.Options
	flag.BoolVar(&o.PerfMap, "map", false, "write a map file")
	flag.StringVar(&o.PerfDump, "dump", "", "folder of a dump file")
	flag.BoolVar(&o.Debugger, "debugger", false, "tell gdb")
	flag.Parse()
	if err := run(o, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o jitnames.Options, path string) error {
	// Any process of the user may attach.
	_ = unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0)
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	names, err := jitnames.Open(o)
	if err != nil {
		return err
	}
	object, err := elfload.Parse(b)
	if err != nil {
		return err
	}
	// The second lies where the first was.
	for range 2 {
		im, err := object.Load(elfload.Options{})
		if err != nil {
			return err
		}
		var functions []jitnames.Function
		for _, f := range object.Functions(im) {
			functions = append(functions, jitnames.Function(f))
		}
		code := names.Add(functions, func() []byte { return object.Located(im) })
		kernel, _ := im.Symbol("spin_kernel")
		if err := spin(kernel); err != nil {
			return err
		}
		code.Remove()
		if err := im.Close(); err != nil {
			return err
		}
	}
	fmt.Println("done")
	return names.Err()
}

// spin runs the kernel until a line comes in.
func spin(kernel uintptr) error {
	calloc, _ := ffi.Symbol("calloc")
	stop := ffi.Call(calloc, 1, 8)
	fmt.Println("ready")
	failed := make(chan error, 1)
	go func() {
		_, err := io.ReadFull(os.Stdin, make([]byte, 1))
		copy(ffi.View(stop, 8), []byte{1})
		failed <- err
	}()
	ffi.Call(kernel, stop)
	return <-failed
}
