package elfload

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/internal/ffi"
)

// Options steers [Object.Load]. The zero value works.
type Options struct {
	// Resolve is asked first for every undefined symbol. Those it does not
	// know are looked up in the process, then in libm, libgcc_s, libstdc++ and
	// libmvec, each opened only when a name of its kind is needed.
	Resolve func(name string) (addr uintptr, ok bool)
	// Frames registers the object's unwind table even if the object neither
	// handles exceptions nor names what throws them, so that exceptions and
	// backtraces of others can pass through its functions. It costs about
	// 0.5 µs, and 0.2 ms once.
	Frames bool
}

// Load binds o to the process and returns its image: memory mapped, symbols
// resolved, pages sealed, unwind tables registered, constructors run on the
// calling goroutine's thread. The caller owns the image and closes it. Errors
// are of type [*Error]: ErrUndefined names every missing symbol; nothing stays
// mapped after an error.
func (o *Object) Load(opts Options) (*Image, error) {
	return o.load(opts, &defaultResolver)
}

func (o *Object) load(opts Options, r *resolver) (*Image, error) {
	if o.arch.goarch != runtime.GOARCH {
		return nil, unsupported("code for %s on %s", o.arch.goarch, runtime.GOARCH)
	}
	b := &binding{addrs: make([]uint64, len(o.symbols)), function: r.function}
	if err := o.resolve(b, opts, r); err != nil {
		return nil, err
	}
	l := &o.layout
	mem, err := mapMemory(l.size, l.align, o.arch.page, o.low)
	if err != nil {
		reason := fmt.Sprintf("mapping %d bytes", l.size)
		if o.low {
			reason += " below 2 GiB, where code compiled without -fPIC must lie"
		}
		return nil, &Error{Kind: ErrMemory, Reason: reason, Cause: err}
	}
	im, err := o.finish(mem, b, opts, r)
	if err != nil {
		mem.unmap()
		return nil, err
	}
	return im, nil
}

// resolve looks up every undefined symbol before anything is mapped.
func (o *Object) resolve(b *binding, opts Options, r *resolver) error {
	var missing, hints []string
	for i := range o.symbols {
		s := &o.symbols[i]
		if s.place != placeUndefined {
			continue
		}
		name := o.name(s)
		if opts.Resolve != nil {
			if addr, ok := opts.Resolve(name); ok {
				b.addrs[i] = uint64(addr)
				continue
			}
		}
		addr, ok, err := r.resolve(name)
		switch {
		case ok:
			b.addrs[i] = uint64(addr)
		case s.bind == bindWeak:
		default:
			missing = append(missing, name)
			if err != nil {
				hints = append(hints, fmt.Sprintf("; %s: %v", name, err))
			}
		}
	}
	if missing == nil {
		return nil
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	slices.Sort(hints)
	reason := strings.Join(missing, ", ") + strings.Join(slices.Compact(hints), "")
	return &Error{Kind: ErrUndefined, Names: missing, Symbol: missing[0], Reason: reason}
}

// finish turns mapped memory into a callable image.
func (o *Object) finish(mem memory, b *binding, opts Options, r *resolver) (*Image, error) {
	l := &o.layout
	base := mem.base()
	b.base = uint64(base)
	if err := o.build(mem.bytes, b); err != nil {
		return nil, err
	}
	im := &Image{memory: mem, textSize: uintptr(l.textEnd)}
	constructors, err := o.functions(mem.bytes, b.base, o.constructors)
	if err != nil {
		return nil, err
	}
	if im.destructors, err = o.functions(mem.bytes, b.base, o.destructors); err != nil {
		return nil, err
	}
	for _, seal := range []struct {
		lo, hi uint64
		prot   int
	}{
		{0, l.constants, unix.PROT_READ | unix.PROT_EXEC},
		{l.constants, l.data, unix.PROT_READ},
	} {
		if err := mem.seal(seal.lo, seal.hi, seal.prot); err != nil {
			return nil, &Error{Kind: ErrMemory, Reason: "sealing pages", Cause: err}
		}
	}
	im.exports = o.exports(b)
	if o.dsoHandle {
		if im.finalize, _, err = r.resolve("__cxa_finalize"); err != nil || im.finalize == 0 {
			return nil, &Error{Kind: ErrUndefined, Symbol: "__cxa_finalize", Names: []string{"__cxa_finalize"},
				Reason: "__cxa_finalize, which runs the destructors that the object registers", Cause: err}
		}
	}
	if o.unwinds || opts.Frames {
		if err := im.register(o.frames, r); err != nil {
			return nil, err
		}
	}
	for _, f := range constructors {
		ffi.Call(uintptr(f), 0, 0, 0)
	}
	return im, nil
}

func (o *Object) exports(b *binding) []export {
	n := 0
	for i := range o.symbols {
		if o.symbols[i].exported() {
			n++
		}
	}
	list := make([]export, 0, n)
	for i := range o.symbols {
		if s := &o.symbols[i]; s.exported() {
			list = append(list, export{o.name(s), uintptr(b.addrs[i])})
		}
	}
	return list
}
