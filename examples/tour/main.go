// Tour compiles real GPU kernels for the CPU, from the bitcode of three device
// targets, runs them, checks every result against C and prints what each step
// took.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/kilnjit/kiln/bench/workload"
)

var (
	kernels = []string{"saxpy", "matmul_naive", "stencil7", "nbody", "mandelbrot", "poly"}
	images  = []string{"sm_80.raw", "gfx90a.raw", "x86_64"}
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tour: ")
	data := flag.String("data", filepath.Join("testdata", "spmd"), "`folder` of the kernels' bitcode")
	small := flag.Bool("small", false, "small inputs")
	flag.Parse()
	scale := workload.Full
	if *small {
		scale = workload.Small
	}
	if err := run(context.Background(), os.Stdout, *data, scale); err != nil {
		log.Fatal(err)
	}
}

// run writes the table to w. It returns an error if any result is wrong.
func run(ctx context.Context, w io.Writer, data string, scale workload.Scale) error {
	set, err := workload.Load(data, scale)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kiln-tour-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	reference, err := compileReference(ctx, dir)
	if err != nil {
		return err
	}

	fmt.Fprintf(w, "%d GPU kernels from the bitcode of %d targets, compiled for this CPU. Times in ms, the least of some launches.\n\n", len(kernels), len(images))
	fmt.Fprintf(w, "%-13s %-11s %9s %11s %9s %13s %8s  %s\n", "kernel", "image", "compile", "from cache", "launch", "specialised", "C", "result")
	var wrong []error
	for _, name := range kernels {
		kernel := set.Kernel(name)
		want, cMS, err := reference.run(ctx, kernel, 5)
		if err != nil {
			return err
		}
		input := kernel.Make()
		for _, image := range images {
			s := &station{dir: filepath.Join(dir, "cache"), file: set.Image(image), kernel: kernel, input: input, want: want}
			if err := s.visit(ctx); err != nil {
				return fmt.Errorf("%s from %s: %w", name, s.file, err)
			}
			verdict := "✓"
			if s.wrong != nil {
				verdict = "✗ " + s.wrong.Error()
				wrong = append(wrong, fmt.Errorf("%s from %s: %w", name, s.file, s.wrong))
			}
			fmt.Fprintf(w, "%-13s %-11s %9.1f %11.2f %9.2f %13.2f %8.2f  %s\n",
				name, image, s.compile, s.cached, s.generic, s.specialised, cMS, verdict)
		}
	}
	fmt.Fprintln(w, `
compile      bitcode to machine code, nothing cached
from cache   a new engine, the same cache folder: bitcode file to the first result of one group
specialised  a launch with all numbers and the launch's shape compiled in
C            the loops in C, clang -O3 -march=native, as many threads`)
	fmt.Fprintln(w)
	if len(wrong) > 0 {
		return errors.Join(append(wrong, fmt.Errorf("%d results are wrong", len(wrong)))...)
	}
	fmt.Fprintf(w, "all %d results right\n", len(kernels)*len(images))
	return nil
}
