package jitnames

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// perfMap is the process's map file.
type perfMap struct {
	mu   sync.Mutex
	file *os.File // nil once it could not be written
}

// PerfMapPath is where perf looks for the map file of a process.
func PerfMapPath(pid int) string { return fmt.Sprintf("/tmp/perf-%d.map", pid) }

// openPerfMap opens the file, empty: one that is there is of an earlier process
// with the same number. A file or link that somebody else may have put there is
// not followed.
var openPerfMap = sync.OnceValues(func() (*perfMap, error) {
	path := PerfMapPath(os.Getpid())
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("opening the map file for perf: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the map file for perf: %w", err)
	}
	return &perfMap{file: f}, nil
})

func (m *perfMap) add(functions []Function) error {
	var b strings.Builder
	for _, f := range functions {
		fmt.Fprintf(&b, "%x %x %s\n", f.Address, len(f.Code), oneLine(f.Name))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	if _, err := m.file.WriteString(b.String()); err != nil {
		m.file.Close()
		m.file = nil
		return fmt.Errorf("writing the map file for perf: %w", err)
	}
	return nil
}

// oneLine replaces what would end a name.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}
