package kiln

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

// KernelOptions are one kernel's own settings. The zero value is -O3 with
// nothing specialised but what [Const] says.
type KernelOptions struct {
	Compile compile.Options
	// Specialize lists argument positions, from 0, whose [Arg] counts as [Const].
	Specialize []int
	// AnyBlock compiles a GPU kernel for blocks of every size. Otherwise each
	// block size that is launched has code of its own, which is faster, until
	// a kernel has met sixteen; further ones share code for every size.
	AnyBlock bool
}

// Kernel is one launchable function of a module. Safe for concurrent use;
// launches of it run side by side. It belongs to its engine and needs no closing.
type Kernel struct {
	engine  *Engine
	module  *Module
	info    *image.Kernel
	options KernelOptions
	params  []param
	result  param
	limits  device.Limits
	facts   device.Facts
	number  uint64 // among all kernels of the process, from 1
	flags   int    // words before the constants
	room    int    // words there can be, unless structs are constants

	ownBlock   bool                         // block sizes get code of their own
	asksShared bool                         // an argument is a size of shared memory
	blocks     atomic.Pointer[[]device.Dim] // those that have, at most maxBlocks

	recent atomic.Pointer[specialisation]
	table  atomic.Pointer[table]

	mu      sync.Mutex // guards table's replacement
	loading flights[*specialisation]
	records sync.Pool
}

// kernels counts those of the process.
var kernels atomic.Uint64

// param is what a launch needs of one parameter.
type param struct {
	offset, size uint32
	tag          argTag // of an argument that fits without a second look
	class        argClass
	constant     bool
	number       bool // it may be stored as 8 bytes
	any          bool // bits of any class go: half and bfloat come as uint16
}

func newKernel(m *Module, info *image.Kernel, opts KernelOptions) (*Kernel, error) {
	k := &Kernel{engine: m.engine, module: m, info: info, options: opts, limits: m.engine.device.Limits()}
	k.params = make([]param, len(info.Params))
	for i := range info.Params {
		k.params[i] = paramOf(&info.Params[i])
		k.asksShared = k.asksShared || info.Params[i].Kind == image.SharedPointer
	}
	// Arguments are stored in order, each over what the one before left behind it.
	for i := range k.params {
		p := &k.params[i]
		p.number = p.class != classBytes && p.size <= 8 && (i+1 == len(k.params) || k.params[i+1].offset > p.offset)
	}
	k.result = paramOf(&info.Result)
	k.number = kernels.Add(1)
	k.flags = 1 + (len(k.params)+63)/64
	k.room = k.flags + len(k.params) + 4
	for _, i := range opts.Specialize {
		if i < 0 || i >= len(k.params) {
			return nil, &ArgumentError{info.Name, i, fmt.Sprintf("there is no such position to specialise; the kernel has %d parameters", len(k.params))}
		}
		if k.params[i].class == classPointer {
			return nil, &ArgumentError{info.Name, i, "an address cannot be specialised, for it differs from run to run"}
		}
		k.params[i].constant = true
	}
	k.facts = device.FactsOf(info, nil)
	k.table.Store(emptyTable)
	k.ownBlock = info.Convention == image.Grid && !opts.AnyBlock
	k.records.New = func() any { return newRecord(k) }
	return k, nil
}

func paramOf(p *image.Param) param {
	q := param{offset: p.Offset, size: p.Size}
	switch p.Kind {
	case image.Pointer:
		q.class = classPointer
	case image.SharedPointer:
		q.class = classInt
	case image.Aggregate:
		q.class = classBytes
	case image.Scalar:
		switch p.Type {
		case "float", "double":
			q.class = classFloat
		case "half", "bfloat":
			q.class, q.any = classInt, true
		case "i1", "i8", "i16", "i32", "i64":
			q.class = classInt
		default:
			q.class, q.any = classBytes, true
		}
	}
	q.tag = tagOf(argValue, q.class, q.size)
	return q
}

// Name returns the kernel's name in its module.
func (k *Kernel) Name() string { return k.info.Name }

// Info returns the kernel's parameters and bounds. It must not be modified.
func (k *Kernel) Info() *image.Kernel { return k.info }

// Specialize returns the same kernel with the given argument positions, from
// 0, fixed on the values of each launch, as if they were given by [Const].
func (k *Kernel) Specialize(positions ...int) (*Kernel, error) {
	opts := k.options
	opts.Specialize = slices.Concat(opts.Specialize, positions)
	return newKernel(k.module, k.info, opts)
}

// Key returns the cache key of the image that a launch with these arguments
// runs, without compiling or launching anything.
func (k *Kernel) Key(args ...LaunchArg) (cache.Key, error) {
	request, err := k.Request(args...)
	if err != nil {
		return cache.Key{}, err
	}
	return cache.Key(request.Digest()), nil
}

// Request returns the compile request that a launch with these arguments
// makes: what its key is made of, and what another machine needs to compile it.
func (k *Kernel) Request(args ...LaunchArg) (compile.Request, error) {
	r := newRecord(k)
	if err := k.fill(r, args); err != nil {
		return compile.Request{}, err
	}
	return k.request(r)
}
