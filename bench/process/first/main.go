// First launches saxpy from a bitcode file, with everything it needs in the
// cache folder, and checks the result.
package main

import (
	"context"
	"log"
	"os"

	"github.com/kilnjit/kiln"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: first CACHE-FOLDER BITCODE-FILE")
	}
	ctx := context.Background()
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Dir: os.Args[1]}})
	if err != nil {
		log.Fatal(err)
	}
	module, err := engine.Load(ctx, kiln.File(os.Args[2]))
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := module.Kernel("saxpy")
	if err != nil {
		log.Fatal(err)
	}
	x, y := make([]float32, 1024), make([]float32, 1024)
	for i := range x {
		x[i], y[i] = float32(i), 1
	}
	err = kernel.Launch(ctx, kiln.Grid(16), kiln.Block(64), kiln.Arg(y), kiln.Arg(x), kiln.Arg(float32(2)), kiln.Arg(int32(1024)))
	if err != nil {
		log.Fatal(err)
	}
	if y[1023] != 2047 {
		log.Fatalf("y[1023] = %g, want 2047", y[1023])
	}
}
