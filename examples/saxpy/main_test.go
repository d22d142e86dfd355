package main

import (
	"context"
	"os"

	"github.com/kilnjit/kiln"
)

func Example() {
	if err := run(context.Background(), kiln.Options{Cache: kiln.CacheOptions{Off: true}}, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// saxpy(ptr y, ptr x, float a, i32 n): y[3] = 7, y[999999] = 1.999999e+06
}
