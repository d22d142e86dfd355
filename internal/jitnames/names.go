package jitnames

import (
	"errors"
	"sync"
)

// Options says which tools learn of code. The zero value says none.
type Options struct {
	// PerfMap writes /tmp/perf-PID.map.
	PerfMap bool
	// PerfDump is a folder in which jit-PID.dump is written, "" for none. It is
	// made if it is not there. Its file system must allow execution.
	PerfDump string
	// Debugger hands objects to gdb. It costs their size in memory.
	Debugger bool
}

// Any tells whether any tool learns of code.
func (o Options) Any() bool { return o.PerfMap || o.PerfDump != "" || o.Debugger }

// Function is a function in memory.
type Function struct {
	Name    string
	Address uintptr
	Code    []byte
}

// Names is where code is made known. A nil *Names is one that tells nobody. It
// may be used by any number of goroutines at once.
type Names struct {
	perfMap  *perfMap
	dump     *dump
	debugger bool

	mu  sync.Mutex
	err error
}

// Open opens the files that o asks for. It returns nil and no error if o asks
// for nothing. The error says which file cannot be written.
func Open(o Options) (*Names, error) {
	if !o.Any() {
		return nil, nil
	}
	n := &Names{debugger: o.Debugger}
	var err error
	if o.PerfMap {
		if n.perfMap, err = openPerfMap(); err != nil {
			return nil, err
		}
	}
	if o.PerfDump != "" {
		if n.dump, err = openDump(o.PerfDump); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// Add makes functions known. Object is the relocatable object they come from,
// with the addresses of its sections filled in, and is kept until Remove; it
// is only asked for if a debugger is to have it. What cannot be written is left
// out, and Err tells.
func (n *Names) Add(functions []Function, object func() []byte) *Code {
	if n == nil {
		return nil
	}
	if n.perfMap != nil {
		n.note(n.perfMap.add(functions))
	}
	if n.dump != nil {
		n.note(n.dump.add(functions))
	}
	c := &Code{}
	if n.debugger {
		c.symbols = register(object())
	}
	return c
}

func (n *Names) note(err error) {
	if err == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = errors.Join(n.err, err)
}

// Err returns what went wrong in Add; nil if all code was made known. A file
// that could not be written once is not written again.
func (n *Names) Err() error {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// Code is code that is known. A nil *Code is of a nil *Names.
type Code struct {
	symbols *symbolFile
	once    sync.Once
}

// Remove takes the code back from the debugger. It must be called before the
// memory is used for something else. Files keep what they have.
func (c *Code) Remove() {
	if c == nil || c.symbols == nil {
		return
	}
	c.once.Do(func() { unregister(c.symbols) })
}
