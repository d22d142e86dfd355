package image_test

import (
	"fmt"
	"os"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

func ExampleOpen() {
	program, err := os.ReadFile("../testdata/images/elf/hip.clang22.o")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := image.Open(program)
	if err != nil {
		fmt.Println(err)
		return
	}
	for found, err := range f.All() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(found.Part.Kind, found.File.Target)
	}
	device, err := target.Parse("gfx900:xnack-")
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := f.Choose(device)
	if err != nil {
		fmt.Println(err)
		return
	}
	kernels, err := best.File.Kernels()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range kernels {
		fmt.Printf("%s: %d registers, %d bytes shared\n", k.Name, k.Registers, k.SharedBytes)
	}
	// Output:
	// AMDGPU object amdgcn-amd-amdhsa/gfx1100
	// AMDGPU object amdgcn-amd-amdhsa/gfx900
	// saxpy: 4 registers, 0 bytes shared
	// reverse: 5 registers, 256 bytes shared
}
