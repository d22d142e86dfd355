package cpu

import (
	"cmp"
	"slices"

	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/jitnames"
)

// Names says who learns the names of kernels and of the functions inside them.
// The zero value says nobody, and costs nothing. Where anybody does, faults
// tell the function, too.
type Names struct {
	// PerfMap writes /tmp/perf-PID.map, which "perf report" reads on the machine
	// that it was recorded on, while the file is there. Who writes it removes it.
	PerfMap bool
	// PerfDump is a folder in which jit-PID.dump is written, for "perf inject
	// --jit" after "perf record -k mono"; "" for none.
	PerfDump string
	// Debugger hands kernels to gdb, which shows the lines of their source if
	// they were compiled with debug information. The objects stay in memory.
	Debugger bool
}

// named is an image whose names are known.
type named struct {
	code      *jitnames.Code
	functions []elfload.Function // by address
}

// announce makes known the functions of an image of o. The entry goes by the
// kernel's name.
func (d *Device) announce(o *elfload.Object, im *elfload.Image, kernel string, entry uintptr) *named {
	if d.names == nil {
		return nil
	}
	n := &named{functions: o.Functions(im)}
	list := make([]jitnames.Function, len(n.functions))
	for i, f := range n.functions {
		list[i] = jitnames.Function(f)
		if f.Address == entry {
			list[i].Name = kernel
		}
	}
	n.code = d.names.Add(list, func() []byte { return o.Located(im) })
	return n
}

// withdraw must be called before the image is closed.
func (n *named) withdraw() {
	if n != nil {
		n.code.Remove()
	}
}

// function returns the name of the function that pc is in and how many bytes
// behind its start, "" if that is not known.
func (n *named) function(pc uintptr) (name string, offset int64) {
	if n == nil {
		return "", 0
	}
	i, found := slices.BinarySearchFunc(n.functions, pc, func(f elfload.Function, pc uintptr) int {
		return cmp.Compare(f.Address, pc)
	})
	if !found {
		i--
	}
	if i < 0 || pc-n.functions[i].Address >= uintptr(len(n.functions[i].Code)) {
		return "", 0
	}
	return n.functions[i].Name, int64(pc - n.functions[i].Address)
}
