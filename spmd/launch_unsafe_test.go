package spmd_test

import (
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/ffi"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/spmd"
	"github.com/kilnjit/kiln/target"
)

// frame is the one argument of an entry.
type frame struct {
	params      unsafe.Pointer
	first, last uint64
	grid, block [3]uint32
	shared      unsafe.Pointer
	sharedBytes uint64
	context     unsafe.Pointer
	launch      unsafe.Pointer
}

// compiled is a kernel ready to be launched by a test.
type compiled struct {
	result  *spmd.Result
	text    string // the lowered module before optimisation
	opt     string // and after it
	params  []image.Param
	size    uint32
	image   *elfload.Image
	entry   uintptr
	timings timings
	status  uint32 // what launches should return
}

type timings struct{ lower, optimise, emit time.Duration }

// compile lowers, optimises, emits and loads a kernel for this host.
func compile(t testing.TB, source []byte, kernel string, params []image.Param, options spmd.Options) *compiled {
	t.Helper()
	c, err := compileError(t, source, kernel, params, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func compileError(t testing.TB, source []byte, kernel string, params []image.Param, options spmd.Options) (*compiled, error) {
	t.Helper()
	c := &compiled{params: params}
	var err error
	if c.size, _, err = image.Layout(params, nil); err != nil {
		t.Fatal(err)
	}
	err = llvm.Run(context.Background(), "test of "+kernel, func() error {
		native, err := target.Native()
		if err != nil {
			return err
		}
		native = native.Narrow(llvm.Current().Major)
		machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: llvm.HostTriple(), CPU: native.Processor, Features: native.Features})
		if err != nil {
			return err
		}
		defer machine.Close()
		ctx := llvm.NewContext()
		defer ctx.Close()
		m, err := ctx.Parse(kernel, source)
		if err != nil {
			return err
		}
		options.Triple, options.DataLayout, options.Machine = machine.Triple(), machine.DataLayout(), machine
		options.Params = params
		start := time.Now()
		c.result, err = spmd.Lower(m, kernel, options)
		if err != nil {
			return err
		}
		c.timings.lower = time.Since(start)
		out := c.result.Module
		c.text = out.Print()
		start = time.Now()
		pipeline := "default<O3>"
		if c.result.PostPasses != "" {
			pipeline += "," + c.result.PostPasses
		}
		if err := out.RunPasses(pipeline, machine, llvm.PassOptions{}); err != nil {
			return err
		}
		c.timings.optimise = time.Since(start)
		c.opt = out.Print()
		start = time.Now()
		object, err := machine.Emit(out, llvm.Object)
		if err != nil {
			return err
		}
		c.timings.emit = time.Since(start)
		parsed, err := elfload.Parse(object)
		if err != nil {
			return err
		}
		c.image, err = parsed.Load(elfload.Options{})
		return err
	})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { c.image.Close() })
	var ok bool
	if c.entry, ok = c.image.Symbol(c.result.Entry); !ok {
		t.Fatalf("the object has no %s", c.result.Entry)
	}
	return c, nil
}

// launch runs the kernel over the whole grid. An argument is a slice, a
// number or bytes.
func (c *compiled) launch(t testing.TB, grid, block [3]uint32, args ...any) {
	t.Helper()
	groups := uint64(grid[0]) * uint64(grid[1]) * uint64(grid[2])
	c.run(t, grid, block, 0, groups, args...)
}

func (c *compiled) run(t testing.TB, grid, block [3]uint32, first, last uint64, args ...any) {
	t.Helper()
	memory := make([]uint64, c.size/8+1)
	at := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), len(memory)*8)
	for i, a := range args {
		p := at[c.params[i].Offset:]
		switch v := a.(type) {
		case int32:
			binary.LittleEndian.PutUint32(p, uint32(v))
		case float32:
			binary.LittleEndian.PutUint32(p, math.Float32bits(v))
		case int64:
			binary.LittleEndian.PutUint64(p, uint64(v))
		case []float32:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case []float64:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case []int32:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case []int64:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case []uint32:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case []uint16:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case []uint8:
			binary.LittleEndian.PutUint64(p, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))))
		case structBytes:
			copy(p, v)
		default:
			t.Fatalf("argument %d is a %T", i, a)
		}
	}
	f := &frame{params: unsafe.Pointer(&memory[0]), first: first, last: last, grid: grid, block: block}
	f.context, f.shared, f.sharedBytes = room(c.result.ContextBytes), room(launchShared), launchShared
	if code := ffi.CGOCall(c.entry, unsafe.Pointer(f)); uint32(code) != c.status {
		t.Fatalf("the kernel returned %d, want %d", code, c.status)
	}
	runtime.KeepAlive(args)
}

// launchShared is the dynamic shared memory of each launch, in bytes.
const launchShared = 16 << 10

// room is memory that starts at a multiple of 64 bytes and holds nothing that
// reads as a number a kernel would leave there.
func room(bytes uint64) unsafe.Pointer {
	memory := make([]byte, bytes+128)
	for i := range memory {
		memory[i] = 0xa5
	}
	at := unsafe.Pointer(&memory[0])
	return unsafe.Add(at, -uintptr(at)&63)
}

// structBytes is a struct given by value.
type structBytes []byte

func address(s []float32) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }
