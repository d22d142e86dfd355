// Selfcheck loads objects into itself and prints what they do. Of an object with
// a function test, it runs that twice and prints "ok", or "check N" for the check
// in line N that is wrong. Of others it calls every function kf_* with the
// numbers given by -inputs and prints the results. It exists to run on machines
// other than the one that tests run on.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/ffi"
)

var inputs = flag.String("inputs", "", "numbers to call functions with, separated by commas")

func main() {
	flag.Parse()
	for _, path := range flag.Args() {
		fmt.Println(path, check(path))
	}
}

// results calls every function kf_*.
func results(o *elfload.Object, im *elfload.Image) string {
	var b strings.Builder
	for _, name := range o.Defined() {
		if !strings.HasPrefix(name, "kf_") {
			continue
		}
		f, _ := im.Symbol(name)
		for text := range strings.SplitSeq(*inputs, ",") {
			x, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err.Error()
			}
			fmt.Fprintf(&b, "\n%s %d %d", name, x, int64(ffi.Call(f, uintptr(x))))
		}
	}
	return b.String()
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
		text := results(o, im)
		if err := im.Close(); err != nil {
			return err.Error()
		}
		return text
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
