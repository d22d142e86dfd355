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
	return o.load(opts, &defaultResolver, &defaultArenas)
}

func (o *Object) load(opts Options, r *resolver, a *arenas) (*Image, error) {
	if o.arch.goarch != runtime.GOARCH {
		return nil, unsupported("code for %s on %s", o.arch.goarch, runtime.GOARCH)
	}
	b := &binding{
		frames:   (o.unwinds || opts.Frames) && len(o.frames) > 0,
		addrs:    make([]uint64, len(o.symbols)),
		function: r.function,
	}
	if err := o.resolve(b, opts, r); err != nil {
		return nil, err
	}
	n := need{zones: o.layout.zones, low: o.low, compact: o.compact}
	if !b.frames {
		n.zones[classConst].size = o.layout.frames
	}
	p, err := a.take(n)
	if err != nil {
		reason := fmt.Sprintf("mapping %d bytes", o.Size())
		if o.low {
			reason += " below 2 GiB, where code compiled without -fPIC must lie"
		}
		return nil, &Error{Kind: ErrMemory, Reason: reason, Cause: err}
	}
	im := &Image{memory: p, arenas: a, textSize: uintptr(o.layout.zones[classText].size)}
	if err := o.finish(im, b, r); err != nil {
		a.give(&p)
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
		case s.bind() == bindWeak:
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

// finish turns the memory of im into a callable image.
func (o *Object) finish(im *Image, b *binding, r *resolver) error {
	mem := &im.memory.zones
	for c, zone := range mem {
		b.base[c] = uint64(addressOf(zone))
	}
	if err := o.build(mem, b); err != nil {
		return err
	}
	constructors, err := o.functions(mem, b, o.constructors)
	if err != nil {
		return err
	}
	if im.destructors, err = o.functions(mem, b, o.destructors); err != nil {
		return err
	}
	if err := seal(&im.memory); err != nil {
		return &Error{Kind: ErrMemory, Reason: "sealing pages", Cause: err}
	}
	lo, hi := im.TextRange()
	syncCode(lo, hi)
	im.exports = o.exports(b)
	if o.dsoHandle {
		if im.finalize, _, err = r.resolve("__cxa_finalize"); err != nil || im.finalize == 0 {
			return &Error{Kind: ErrUndefined, Symbol: "__cxa_finalize", Names: []string{"__cxa_finalize"},
				Reason: "__cxa_finalize, which runs the destructors that the object registers", Cause: err}
		}
	}
	if b.frames {
		if err := im.register(o.frames, r); err != nil {
			return err
		}
	}
	for _, f := range constructors {
		ffi.Call(uintptr(f), 0, 0, 0)
	}
	return nil
}

// seal gives text and constants their last protection.
func seal(p *placement) error {
	if err := unix.Mprotect(p.pages(classText), unix.PROT_READ|unix.PROT_EXEC); err != nil {
		return err
	}
	constants := p.pages(classConst)
	if len(constants) == 0 {
		return nil
	}
	return unix.Mprotect(constants, unix.PROT_READ)
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
