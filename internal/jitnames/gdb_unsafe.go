package jitnames

import (
	"sync"
	"unsafe"
)

// tell calls the function on which gdb has a breakpoint.
func tell()

// descriptorAddress is where gdb.s has the descriptor.
var descriptorAddress *descriptor

// What the descriptor's action says.
const (
	actionRegister   = 1
	actionUnregister = 2
)

// descriptor and symbolFile are gdb's: the offsets of their fields are given.
// The collector does not look at the descriptor, so registered holds what it
// points to.
type descriptor struct {
	version  uint32
	action   uint32
	relevant *symbolFile
	first    *symbolFile
}

type symbolFile struct {
	next, previous *symbolFile
	object         *byte
	size           uint64
}

var registered struct {
	mu    sync.Mutex
	files map[*symbolFile][]byte
}

// register hands object to gdb, which may attach at any later time, too.
func register(object []byte) *symbolFile {
	f := &symbolFile{object: unsafe.SliceData(object), size: uint64(len(object))}
	registered.mu.Lock()
	defer registered.mu.Unlock()
	if registered.files == nil {
		registered.files = map[*symbolFile][]byte{}
	}
	registered.files[f] = object
	d := descriptorAddress
	f.next = d.first
	if f.next != nil {
		f.next.previous = f
	}
	d.first = f
	d.act(actionRegister, f)
	return f
}

func unregister(f *symbolFile) {
	registered.mu.Lock()
	defer registered.mu.Unlock()
	d := descriptorAddress
	if f.previous != nil {
		f.previous.next = f.next
	} else {
		d.first = f.next
	}
	if f.next != nil {
		f.next.previous = f.previous
	}
	d.act(actionUnregister, f)
	delete(registered.files, f)
}

func (d *descriptor) act(action uint32, f *symbolFile) {
	d.action, d.relevant = action, f
	tell()
	d.action, d.relevant = 0, nil
}
