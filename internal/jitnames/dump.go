package jitnames

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// The format is described in the Linux kernel's tree, in
// tools/perf/Documentation/jitdump-specification.txt. All numbers are in the
// machine's byte order, which is little-endian on those that kiln runs on.
const (
	dumpMagic   = 0x4A695444
	dumpVersion = 1
	dumpHeader  = 40 // bytes

	recordLoad     = 0
	loadHeader     = 56 // bytes, the record's own header included
	machineX8664   = 62
	machineAArch64 = 183
)

// dump is a dump file of this process.
type dump struct {
	mu    sync.Mutex
	file  *os.File // nil once it could not be written
	index uint64   // of the next function
}

var dumps struct {
	mu   sync.Mutex
	open map[string]*dump // by path
}

// openDump opens the dump file of this process in folder.
func openDump(folder string) (*dump, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("opening the dump file for perf: %w", err)
	}
	path := filepath.Join(folder, fmt.Sprintf("jit-%d.dump", os.Getpid()))
	dumps.mu.Lock()
	defer dumps.mu.Unlock()
	if d := dumps.open[path]; d != nil {
		return d, nil
	}
	d, err := createDump(path)
	if err != nil {
		return nil, fmt.Errorf("opening the dump file for perf: %w", err)
	}
	if dumps.open == nil {
		dumps.open = map[string]*dump{}
	}
	dumps.open[path] = d
	return d, nil
}

func createDump(path string) (*dump, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	now, err := monotonic()
	if err != nil {
		f.Close()
		return nil, err
	}
	le := binary.LittleEndian
	var b []byte
	b = le.AppendUint32(b, dumpMagic)
	b = le.AppendUint32(b, dumpVersion)
	b = le.AppendUint32(b, dumpHeader)
	b = le.AppendUint32(b, machine())
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(os.Getpid()))
	b = le.AppendUint64(b, now)
	b = le.AppendUint64(b, 0) // flags
	if _, err := f.Write(b); err != nil {
		f.Close()
		return nil, err
	}
	// perf finds the file by this mapping, which it sees for being executable.
	if _, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE); err != nil {
		f.Close()
		if errors.Is(err, unix.EPERM) {
			return nil, fmt.Errorf("%s: %w: its file system does not allow execution, and perf finds the file by an executable mapping", path, err)
		}
		return nil, fmt.Errorf("mapping %s: %w", path, err)
	}
	return &dump{file: f}, nil
}

func machine() uint32 {
	if runtime.GOARCH == "arm64" {
		return machineAArch64
	}
	return machineX8664
}

// monotonic returns the time by the clock of "perf record -k mono", ns.
func monotonic() (uint64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0, err
	}
	return uint64(t.Nano()), nil
}

func (d *dump) add(functions []Function) error {
	now, err := monotonic()
	if err != nil {
		return fmt.Errorf("writing the dump file for perf: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	le := binary.LittleEndian
	var b []byte
	for _, f := range functions {
		name := oneLine(f.Name)
		b = le.AppendUint32(b, recordLoad)
		b = le.AppendUint32(b, uint32(loadHeader+len(name)+1+len(f.Code)))
		b = le.AppendUint64(b, now)
		b = le.AppendUint32(b, uint32(os.Getpid()))
		b = le.AppendUint32(b, uint32(unix.Gettid()))
		b = le.AppendUint64(b, uint64(f.Address))
		b = le.AppendUint64(b, uint64(f.Address))
		b = le.AppendUint64(b, uint64(len(f.Code)))
		b = le.AppendUint64(b, d.index)
		b = append(append(b, name...), 0)
		b = append(b, f.Code...)
		d.index++
	}
	if _, err := d.file.Write(b); err != nil {
		d.file.Close()
		d.file = nil
		return fmt.Errorf("writing the dump file for perf: %w", err)
	}
	return nil
}
