package main

import (
	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

// launchFlags are the flags of every command that launches.
type launchFlags struct {
	Grid       extent `placeholder:"X[,Y[,Z]]" help:"Number of work-groups."`
	Block      extent `placeholder:"X[,Y[,Z]]" help:"Work-items of a group."`
	ConstGrid  bool   `help:"Compile the grid's size into the kernel."`
	ConstBlock bool   `help:"Compile the block's size into the kernel."`
	Shared     string `placeholder:"BYTES" help:"Dynamic shared memory of a group, such as 4Ki."`
	O          level  `name:"opt" short:"O" default:"3" placeholder:"LEVEL" help:"Optimisation: 0, 1, 2, 3, s or z."`
}

// parseArguments reads the kernel's arguments as typed.
func parseArguments(texts []string) ([]argument.Argument, error) {
	args := make([]argument.Argument, len(texts))
	for i, text := range texts {
		var err error
		if args[i], err = argument.Parse(text, i); err != nil {
			return nil, usage("%v\n\n%s", err, argument.Grammar)
		}
	}
	return args, nil
}

func (f *launchFlags) sharedBytes() (uint32, error) {
	if f.Shared == "" {
		return 0, nil
	}
	n, err := argument.ParseCount(f.Shared)
	if err != nil || n > 1<<32-1 {
		return 0, usage("--shared=%s: it takes a number of bytes below 4Gi, such as 4Ki", f.Shared)
	}
	return uint32(n), nil
}

// shape returns the launch's extents, those that are asked for compiled in. A
// host function has none.
func (f *launchFlags) shape(k *image.Kernel, constGrid, constBlock bool) ([]kiln.LaunchArg, error) {
	shared, err := f.sharedBytes()
	if err != nil {
		return nil, err
	}
	if k.Convention == image.Host {
		if f.Grid.given || f.Block.given || f.ConstGrid || f.ConstBlock || shared != 0 {
			return nil, usage("%s is a host function, which runs once: leave --grid, --block and --shared out", k.Name)
		}
		return nil, nil
	}
	if !f.Block.given && k.ReqdBlock != [3]uint32{} {
		f.Block = extent{true, k.ReqdBlock}
	}
	if !f.Grid.given || !f.Block.given {
		return nil, usage("%s is a GPU kernel: give --grid X[,Y[,Z]] and --block X[,Y[,Z]]\n  %s", k.Name, signature(k))
	}
	grid, block := kiln.Grid, kiln.Block
	if constGrid {
		grid = kiln.ConstGrid
	}
	if constBlock {
		block = kiln.ConstBlock
	}
	return []kiln.LaunchArg{
		grid(f.Grid.dims[0], f.Grid.dims[1:]...), block(f.Block.dims[0], f.Block.dims[1:]...), kiln.Shared(shared),
	}, nil
}
