package compile

import (
	"context"
	"sync"

	"github.com/kilnjit/kiln/internal/llvm"
)

// A target machine is worth keeping: making one, and what it makes of its
// processor for the first function, is a fifth of a small compile. Each is
// used by one compile at a time.
const (
	mostIdle = 4
	// What a machine keeps grows with the attributes of the functions it meets.
	mostUses = 256
)

// machines keeps target machines between compiles. The zero value is ready.
type machines struct {
	mu     sync.Mutex
	idle   []idleMachine
	closed bool
}

type idleMachine struct {
	options llvm.MachineOptions
	machine *llvm.Machine
	uses    int
}

// take returns a machine that is kept for the options, the last one used, or a
// new one. The caller closes it or gives it back.
func (m *machines) take(options llvm.MachineOptions) (idleMachine, error) {
	m.mu.Lock()
	for i := len(m.idle) - 1; i >= 0; i-- {
		if kept := m.idle[i]; kept.options == options {
			m.idle = append(m.idle[:i], m.idle[i+1:]...)
			m.mu.Unlock()
			return kept, nil
		}
	}
	m.mu.Unlock()
	machine, err := llvm.NewMachine(options)
	return idleMachine{options: options, machine: machine}, err
}

// give keeps a machine whose compile went well, and closes the one that was
// idle for longest where there are too many.
func (m *machines) give(used idleMachine) {
	used.uses++
	m.mu.Lock()
	drop := used
	if !m.closed && used.uses < mostUses {
		m.idle = append(m.idle, used)
		drop = idleMachine{}
		if len(m.idle) > mostIdle {
			drop = m.idle[0]
			m.idle = append(m.idle[:0], m.idle[1:]...)
		}
	}
	m.mu.Unlock()
	if drop.machine != nil {
		drop.machine.Close()
	}
}

// close closes what is idle, now and from now on.
func (m *machines) close() error {
	m.mu.Lock()
	idle := m.idle
	m.idle, m.closed = nil, true
	m.mu.Unlock()
	if len(idle) == 0 {
		return nil
	}
	return llvm.Run(context.Background(), "closing target machines", func() error {
		for _, kept := range idle {
			kept.machine.Close()
		}
		return nil
	})
}
