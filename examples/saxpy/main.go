// Saxpy runs a CUDA kernel on the CPU: y = a·x + y.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/kilnjit/kiln"
)

//go:generate clang-22 -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib --cuda-feature=+ptx80 -isystem ../../cmd/kiln/internal/source/include -include kiln_cuda.h -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -Qn -emit-llvm -c saxpy.cu -o saxpy.bc

//go:embed saxpy.bc
var bitcode []byte

func main() {
	if err := run(context.Background(), kiln.Options{}, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, options kiln.Options, w io.Writer) error {
	engine, err := kiln.Open(options)
	if err != nil {
		return err
	}
	defer engine.Close()
	module, err := engine.Load(ctx, kiln.Bytes("saxpy.bc", bitcode))
	if err != nil {
		return err
	}
	saxpy, err := module.Kernel("saxpy")
	if err != nil {
		return err
	}

	const n, block = 1_000_000, 256
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), 1
	}
	// The factor is compiled in; another one would be another kernel.
	err = saxpy.Launch(ctx, kiln.Grid((n+block-1)/block), kiln.Block(block),
		kiln.Arg(y), kiln.Arg(x), kiln.Const(float32(2)), kiln.Arg(int32(n)))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: y[3] = %g, y[%d] = %g\n", saxpy.Signature(), y[3], n-1, y[n-1])
	return nil
}
