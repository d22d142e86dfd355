package kiln

import (
	"sync/atomic"
	"unsafe"
)

const laneBits = 6

// lane is the memory of one launch at a time, and counts as the launch while it
// is busy: taking one costs what counting alone would.
type lane struct {
	busy   atomic.Uint32
	record record // of whoever has set busy
	_      [32]byte
}

// lane returns a lane that the caller has to itself until it leaves it; nil
// where all are taken. A goroutine finds the same one again, which is then in
// its processor's cache, by where its stack lies.
func (e *Engine) lane() *lane {
	var here byte
	start := uint64(uintptr(unsafe.Pointer(&here))>>11) * 0x9e3779b97f4a7c15 >> (64 - laneBits)
	for n := range uint64(len(e.lanes)) {
		l := &e.lanes[(start+n)%uint64(len(e.lanes))]
		if l.busy.Swap(1) == 0 {
			return l
		}
	}
	return nil
}

func (l *lane) leave() { l.busy.Store(0) }
