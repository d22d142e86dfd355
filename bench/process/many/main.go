// Many launches a number of small kernels once each, through the cache folder.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: many CACHE-FOLDER KERNELS")
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	engine, err := kiln.Open(kiln.Options{Workers: 1, Cache: kiln.CacheOptions{Dir: os.Args[1]}})
	if err != nil {
		log.Fatal(err)
	}
	module, err := engine.Load(ctx, kiln.Bytes("many.ll", []byte(kernels(n))))
	if err != nil {
		log.Fatal(err)
	}
	x, y := make([]float32, 256), make([]float32, 256)
	for i := range n {
		kernel, err := module.Kernel(fmt.Sprintf("k%d", i))
		if err != nil {
			log.Fatal(err)
		}
		clear(y)
		x[9] = 2
		if err := kernel.Launch(ctx, kiln.Arg(y), kiln.Arg(x), kiln.Arg(int32(len(x)))); err != nil {
			log.Fatal(err)
		}
		if want := 2 * float32(i); y[9] != want {
			log.Fatalf("kernel %d: %g, want %g", i, y[9], want)
		}
	}
	fmt.Println(engine.Stats().Compiles)
}

// kernels is a module of n kernels; number i adds i times x to y.
func kernels(n int) string {
	var ir strings.Builder
	for i := range n {
		fmt.Fprintf(&ir, `
define void @k%d(ptr noalias %%y, ptr noalias readonly %%x, i32 %%n) {
entry:
  %%some = icmp sgt i32 %%n, 0
  br i1 %%some, label %%loop, label %%done
loop:
  %%i = phi i32 [ 0, %%entry ], [ %%next, %%loop ]
  %%p = getelementptr float, ptr %%x, i32 %%i
  %%q = getelementptr float, ptr %%y, i32 %%i
  %%u = load float, ptr %%p
  %%v = load float, ptr %%q
  %%w = fmul float %%u, %d.0
  %%s = fadd float %%w, %%v
  store float %%s, ptr %%q
  %%next = add nsw i32 %%i, 1
  %%more = icmp slt i32 %%next, %%n
  br i1 %%more, label %%loop, label %%done
done:
  ret void
}
`, i, i)
	}
	return ir.String()
}
