// Embed is kiln inside a Go program: it lists the kernels of a bitcode or .ll
// file, or launches one. A pointer parameter takes the numbers of a float32
// buffer, separated by commas, which are printed after the launch:
//
//	go run ./examples/embed file.bc
//	go run ./examples/embed -grid 2 -block 2 file.bc saxpy 1,1,1,1 1,2,3,4 0.5 4
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/image"
)

func main() {
	grid, block := flag.Uint("grid", 1, "number of work-groups"), flag.Uint("block", 1, "work-items in a group")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: embed [-grid N] [-block N] FILE [KERNEL ARGUMENT...]")
	}
	shape := []kiln.LaunchArg{kiln.Grid(uint32(*grid)), kiln.Block(uint32(*block))}
	if err := run(context.Background(), kiln.Options{}, os.Stdout, shape, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, options kiln.Options, w io.Writer, shape []kiln.LaunchArg, args []string) error {
	engine, err := kiln.Open(options)
	if err != nil {
		return err
	}
	defer engine.Close()
	module, err := engine.Load(ctx, kiln.File(args[0]))
	if err != nil {
		return err
	}
	if len(args) == 1 {
		for _, info := range module.Summary().Kernels {
			kernel, err := module.Kernel(info.Name)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, kernel.Signature())
		}
		return nil
	}
	kernel, err := module.Kernel(args[1])
	if err != nil {
		return err
	}

	launch, buffers := shape, [][]float32{}
	params := kernel.Info().Params
	for i, text := range args[2:min(len(args), 2+len(params))] {
		arg, err := parse(&params[i], text, &buffers)
		if err != nil {
			return fmt.Errorf("argument %d of %s: %w", i, kernel.Signature(), err)
		}
		launch = append(launch, arg)
	}
	if err := kernel.Launch(ctx, launch...); err != nil {
		return err
	}
	for _, buffer := range buffers {
		fmt.Fprintln(w, buffer)
	}
	return nil
}

// parse reads text as a value for the parameter; it adds a pointer's to buffers.
func parse(p *image.Param, text string, buffers *[][]float32) (kiln.LaunchArg, error) {
	switch p.Type {
	case "ptr":
		var buffer []float32
		for element := range strings.SplitSeq(text, ",") {
			x, err := strconv.ParseFloat(element, 32)
			if err != nil {
				return kiln.LaunchArg{}, err
			}
			buffer = append(buffer, float32(x))
		}
		*buffers = append(*buffers, buffer)
		return kiln.Arg(buffer), nil
	case "float":
		x, err := strconv.ParseFloat(text, 32)
		return kiln.Arg(float32(x)), err
	case "i32":
		x, err := strconv.ParseInt(text, 0, 32)
		return kiln.Arg(int32(x)), err
	}
	return kiln.LaunchArg{}, fmt.Errorf("embed does not read values of type %s", p.Type)
}
