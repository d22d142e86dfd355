// Polynomial specialises a plain C function on the coefficients it gets, and
// compares that with the function as it is.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/kilnjit/kiln"
)

//go:generate clang-22 -target x86_64-unknown-linux-gnu -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -Qn -emit-llvm -c c/polynomial.c -o polynomial.bc

//go:embed polynomial.bc
var bitcode []byte

// coefficients is the C struct of the same layout.
type coefficients struct{ c [16]float64 }

func main() {
	if err := run(context.Background(), kiln.Options{}, os.Stdout, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run writes results to w and how long they took to times.
func run(ctx context.Context, options kiln.Options, w, times io.Writer) error {
	engine, err := kiln.Open(options)
	if err != nil {
		return err
	}
	defer engine.Close()
	module, err := engine.Load(ctx, kiln.Bytes("polynomial.bc", bitcode))
	if err != nil {
		return err
	}
	generic, err := module.Kernel("polynomial")
	if err != nil {
		return err
	}
	// Degree and coefficients are fixed on the values of each launch.
	specialised, err := generic.Specialize(3, 4)
	if err != nil {
		return err
	}

	x := make([]float64, 1<<16)
	for i := range x {
		x[i] = float64(i) / float64(len(x))
	}
	for _, p := range [][]float64{{1, 0, -0.5, 0, 1.0 / 24, 0, -1.0 / 720}, {2, 1, 0.5}} {
		var c coefficients
		copy(c.c[:], p)
		outputs, best := [2][]float64{}, [2]time.Duration{}
		for i, kernel := range []*kiln.Kernel{generic, specialised} {
			y := make([]float64, len(x))
			outputs[i], best[i] = y, time.Hour
			for range 50 {
				began := time.Now()
				err := kernel.Launch(ctx, kiln.Arg(y), kiln.Arg(x), kiln.Arg(int32(len(x))), kiln.Arg(int32(len(p)-1)), kiln.Arg(c))
				if err != nil {
					return err
				}
				best[i] = min(best[i], time.Since(began))
			}
		}
		y := outputs[1]
		fmt.Fprintf(w, "degree %d: p(0) = %g, p(0.5) = %.4f, same both ways: %t\n",
			len(p)-1, y[0], y[len(y)/2], slices.Equal(outputs[0], outputs[1]))
		fmt.Fprintf(times, "  generic %v, specialised %v\n", best[0], best[1])
	}
	return nil
}
