// Selfcheck loads objects into itself, runs the test function of each twice and
// prints a line for each: "ok", "check N" for the check in line N that is wrong,
// or the loader's error. It exists to run on machines other than the one that
// tests run on.
package main

import (
	"fmt"
	"os"

	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/ffi"
)

func main() {
	for _, path := range os.Args[1:] {
		fmt.Println(path, check(path))
	}
}

func check(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	o, err := elfload.Parse(b)
	if err != nil {
		return err.Error()
	}
	im, err := o.Load(elfload.Options{})
	if err != nil {
		return err.Error()
	}
	test, ok := im.Symbol("test")
	if !ok {
		return "no symbol test"
	}
	malloc, _ := ffi.Symbol("calloc")
	room := ffi.Call(malloc, 4096, 1)
	for range 2 {
		if line := int32(ffi.Call(test, room)); line != 0 {
			return fmt.Sprintf("check %d", line)
		}
	}
	if err := im.Close(); err != nil {
		return err.Error()
	}
	return "ok"
}
