package elfload

import (
	"errors"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// regionZone is the size of each zone of a region that images share, bytes.
	regionZone = 16 << 20
	// openStep is how much of a zone is made writable at once, bytes.
	openStep = 256 << 10
)

// arenas places images in regions of address space. The system counts
// mappings and has a limit for them, so a region keeps what has one protection
// together: the text of all its images is one mapping, and so are their
// constants and their data. Pages belong to one image each.
type arenas struct {
	// hint is the address to place regions near, 0 for anywhere.
	hint uintptr

	mu      sync.Mutex
	regions []*region // shared ones, in the order to fill
	colour  uint64    // of the next image
}

var defaultArenas arenas

// region is one reservation. Free pages below a zone's opened mark are zeroed,
// readable and writable, those above it out of reach.
type region struct {
	memory []byte
	low    bool
	shared bool

	// Guarded by the arenas' mu.
	opened [classes]uintptr
	free   [classes]spans
	images int
}

// placement is the memory of one image. Its zones end where a page does, and
// begin on one or where their colour has them.
type placement struct {
	region *region
	zones  contents
}

// pages returns the whole pages of a zone.
func (p *placement) pages(c class) []byte {
	zone := p.zones[c]
	if len(zone) == 0 {
		return nil
	}
	at := addressOf(zone)
	shift := at % uintptr(pageSize)
	return p.region.bytes(at-shift, uintptr(len(zone))+shift)
}

// need is what an image asks for.
type need struct {
	zones        [classes]zone
	low, compact bool
	shift        [classes]uint64 // of a zone's start in its pages
}

// cacheLine is the step of colours, in bytes.
const cacheLine = 64

// paint moves the zones of each image by another number of cache lines, as far
// as their pages have room. Began all on a page, the entries of a thousand small
// kernels would share a few sets of every cache.
func (n *need) paint(colour uint64) {
	for c, z := range n.zones {
		if step := max(z.align, cacheLine); z.size > 0 && step < pageSize {
			room := (alignUp(z.size, pageSize) - z.size) / step
			n.shift[c] = colour % (room + 1) * step
		}
	}
}

var pageSize = uint64(os.Getpagesize())

// take places an image: zeroed pages that are readable and writable.
func (a *arenas) take(n need) (placement, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n.paint(a.colour)
	a.colour++
	large := n.compact
	for c := range n.zones {
		z := &n.zones[c]
		z.align = max(z.align, pageSize)
		z.size = alignUp(z.size, pageSize)
		large = large || z.size+z.align > regionZone/4
	}
	if !large {
		if p, err := a.share(&n); err == nil {
			return p, nil
		}
		// There may still be room for this image alone.
	}
	var sizes [classes]uint64
	for c, z := range n.zones {
		if z.size > 0 {
			sizes[c] = z.size + z.align - pageSize
		}
	}
	sizes[classText] += pageSize // that may have to be left out
	r, err := a.reserve(sizes, n.low, false)
	if err != nil {
		return placement{}, err
	}
	p, err := r.place(&n)
	if err != nil {
		release(r.memory)
	}
	return p, err
}

// share places an image in a region that has room for it, or in a new one.
func (a *arenas) share(n *need) (placement, error) {
	for _, r := range a.regions {
		if r.low != n.low {
			continue
		}
		if p, err := r.place(n); err == nil {
			return p, nil
		}
	}
	r, err := a.reserve([classes]uint64{classText: regionZone, classConst: regionZone, classData: regionZone}, n.low, true)
	if err != nil {
		return placement{}, err
	}
	p, err := r.place(n)
	if err != nil {
		release(r.memory)
		return placement{}, err
	}
	a.regions = append(a.regions, r)
	return p, nil
}

// reserve returns a region with zones of the given sizes.
func (a *arenas) reserve(sizes [classes]uint64, low, shared bool) (*region, error) {
	var total uint64
	for _, size := range sizes {
		total += size
	}
	memory, err := reserve(total, a.hint, low)
	if err != nil {
		return nil, err
	}
	if shared {
		// A huge page for the few bytes of a kernel would be a waste. A system
		// without huge pages refuses, and nothing is lost.
		_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE)
	}
	r := &region{memory: memory, low: low, shared: shared}
	at := addressOf(memory)
	for c, size := range sizes {
		r.opened[c] = at
		if size > 0 {
			r.free[c] = spans{{at, at + uintptr(size)}}
		}
		if class(c) == classText {
			r.leaveOut(alignUp(uint64(at), unseenEvery))
		}
		at += uintptr(size)
	}
	return r, nil
}

// unseenEvery is the distance between addresses where no function may start:
// libgcc's unwinder takes one whose address ends in 32 zero bits for one that a
// linker has discarded.
const unseenEvery = 1 << 32

// leaveOut takes the page at an address away from the text that is free. An
// image that has the region for itself is not placed around a page.
func (r *region) leaveOut(page uint64) {
	free := r.free[classText][0]
	at := uintptr(page)
	switch {
	case at < free.lo || at >= free.hi:
	case at == free.lo:
		r.free[classText] = spans{{at + uintptr(pageSize), free.hi}}
	case r.shared:
		r.free[classText] = spans{{free.lo, at}, {at + uintptr(pageSize), free.hi}}
	}
}

func (r *region) bytes(at, size uintptr) []byte {
	off := at - addressOf(r.memory)
	return r.memory[off : off+size : off+size]
}

var errNoRoom = errors.New("the region is full")

// place finds an image its pages in r.
func (r *region) place(n *need) (placement, error) {
	p := placement{region: r}
	for c, z := range n.zones {
		if z.size == 0 {
			continue
		}
		at, ok := r.free[c].take(uintptr(z.size), uintptr(z.align))
		err := errNoRoom
		if ok {
			shift := uintptr(n.shift[c])
			p.zones[c] = r.bytes(at+shift, uintptr(z.size)-shift)
			err = r.open(class(c), at+uintptr(z.size))
		}
		if err != nil {
			r.giveBack(&p, [classes]bool{})
			return placement{}, err
		}
	}
	r.images++
	return p, nil
}

// open makes a zone readable and writable up to end at least.
func (r *region) open(c class, end uintptr) error {
	at := r.opened[c]
	if end <= at {
		return nil
	}
	size := end - at
	if r.shared {
		// A region's zones are multiples of the step.
		size = uintptr(alignUp(uint64(size), openStep))
	}
	if err := unix.Mprotect(r.bytes(at, size), unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	r.opened[c] = at + size
	return nil
}

// giveBack makes the pages of p free, those of the zones in kept excepted.
func (r *region) giveBack(p *placement, kept [classes]bool) {
	for c := range p.zones {
		if pages := p.pages(class(c)); len(pages) > 0 && !kept[c] {
			r.free[c].give(addressOf(pages), uintptr(len(pages)))
		}
	}
}

// give takes the memory of an image back. Pages that the system does not make
// writable again are not used again.
func (a *arenas) give(p *placement) error {
	r := p.region
	if a.drop(r, 1) {
		return release(r.memory)
	}
	var kept [classes]bool
	var failed error
	for c := range p.zones {
		pages := p.pages(class(c))
		if len(pages) == 0 {
			continue
		}
		if err := renew(pages, class(c) != classData); err != nil {
			failed, kept[c] = err, true
		}
	}
	a.mu.Lock()
	r.giveBack(p, kept)
	r.images--
	a.mu.Unlock()
	if a.drop(r, 0) {
		failed = release(r.memory)
	}
	return failed
}

// renew makes pages writable and zeroed, and takes the memory behind them away.
func renew(pages []byte, sealed bool) error {
	if sealed {
		if err := unix.Mprotect(pages, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return err
		}
	}
	if unix.Madvise(pages, unix.MADV_DONTNEED) != nil {
		clear(pages) // a process that locks its memory keeps it
	}
	return nil
}

// drop takes r out of use, for the caller to release, if no more than the
// given number of images are left in it and it is not the one to keep for
// images to come.
func (a *arenas) drop(r *region, left int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.images != left || r.shared && !a.spare(r) {
		return false
	}
	r.images = -1
	a.regions = slices.DeleteFunc(a.regions, func(other *region) bool { return other == r })
	return true
}

// spare tells whether a region other than r is empty, so that r can go.
func (a *arenas) spare(r *region) bool {
	return slices.ContainsFunc(a.regions, func(other *region) bool {
		return other != r && other.low == r.low && other.images == 0
	})
}
