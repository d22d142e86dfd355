package main

import (
	"context"
	"io"
	"os"

	"github.com/kilnjit/kiln"
)

func Example() {
	err := run(context.Background(), kiln.Options{Cache: kiln.CacheOptions{Off: true}}, os.Stdout, io.Discard)
	if err != nil {
		panic(err)
	}
	// Output:
	// degree 6: p(0) = 1, p(0.5) = 0.8776, same both ways: true
	// degree 2: p(0) = 2, p(0.5) = 2.6250, same both ways: true
}
