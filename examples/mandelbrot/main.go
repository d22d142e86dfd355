// Mandelbrot draws the Mandelbrot set with a CUDA kernel, on the terminal or
// into a PNG file.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"image"
	"image/png"
	"io"
	"log"
	"os"

	"github.com/kilnjit/kiln"
)

//go:generate clang-22 -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib --cuda-feature=+ptx80 -isystem ../../cmd/kiln/internal/source/include -include kiln_cuda.h -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -Qn -emit-llvm -c mandelbrot.cu -o mandelbrot.bc

//go:embed mandelbrot.bc
var bitcode []byte

func main() {
	path := flag.String("o", "", "write a PNG picture of 1200 by 1000 pixels to this `file`")
	flag.Parse()
	if err := run(context.Background(), kiln.Options{}, os.Stdout, *path); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, options kiln.Options, w io.Writer, path string) error {
	engine, err := kiln.Open(options)
	if err != nil {
		return err
	}
	defer engine.Close()
	if path == "" {
		picture, err := draw(ctx, engine, 72, 28)
		if err != nil {
			return err
		}
		_, err = w.Write(text(picture))
		return err
	}
	picture, err := draw(ctx, engine, 1200, 1000)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return err
	}
	return os.WriteFile(path, file.Bytes(), 0o666)
}

// draw returns a picture whose pixels are the number of steps to leave the set.
func draw(ctx context.Context, engine *kiln.Engine, width, height int) (*image.Gray, error) {
	module, err := engine.Load(ctx, kiln.Bytes("mandelbrot.bc", bitcode))
	if err != nil {
		return nil, err
	}
	kernel, err := module.Kernel("mandelbrot")
	if err != nil {
		return nil, err
	}
	picture := image.NewGray(image.Rect(0, 0, width, height))
	return picture, kernel.Launch(ctx,
		kiln.Grid(uint32(width+15)/16, uint32(height+15)/16), kiln.ConstBlock(16, 16),
		kiln.Arg(picture.Pix), kiln.Arg(int32(width)), kiln.Arg(int32(height)), kiln.Const(int32(200)),
		kiln.Const(float32(-2.1)), kiln.Const(float32(-1.25)), kiln.Arg(2.8/float32(width)), kiln.Arg(2.5/float32(height)))
}

// text turns a picture into lines of characters.
func text(picture *image.Gray) []byte {
	const shades = " .:-=+*%@"
	var b bytes.Buffer
	for y := range picture.Rect.Dy() {
		var line []byte
		for _, steps := range picture.Pix[y*picture.Stride:][:picture.Rect.Dx()] {
			line = append(line, shades[min(int(steps)/2, len(shades)-1)])
		}
		b.Write(bytes.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	return b.Bytes()
}
