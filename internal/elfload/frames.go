package elfload

import "strings"

// readFrames collects the unwind tables. The unwinder trusts them and follows
// their length fields, so the chain is checked here.
func (o *Object) readFrames(header) error {
	for i := range o.sections {
		s := &o.sections[i]
		if !s.holdsFrames() {
			continue
		}
		if !s.hasContents() || !frameChain(o.contents(i)) {
			return damaged("unwind table %s: record lengths do not add up", s.name)
		}
		o.frames = append(o.frames, s.at)
	}
	return nil
}

// throws tells whether a function of this name starts an exception, so that
// those that call it must be known to the unwinder even without handlers.
func throws(name string) bool {
	for _, p := range []string{"__cxa_throw", "__cxa_rethrow", "_Unwind_", "_ZSt"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// frameChain tells whether b is a sequence of whole unwind records.
func frameChain(b []byte) bool {
	for len(b) > 0 {
		if len(b) < 4 {
			return false
		}
		n := uint64(le.Uint32(b))
		b = b[4:]
		if n == 0 {
			return true
		}
		// A length of 2^32-1 announces a 64-bit one, which no unwinder for
		// registered tables reads.
		if n < 4 || n > uint64(len(b)) {
			return false
		}
		b = b[n:]
	}
	return true
}
