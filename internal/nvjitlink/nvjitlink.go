// Package nvjitlink calls NVIDIA's libnvJitLink, which makes machine code of
// PTX, and of several inputs at once, inside the process.
package nvjitlink

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/kilnjit/kiln/internal/ffi"
)

// Library is an opened libnvJitLink. It stays open for the life of the process
// and is safe for concurrent use.
type Library struct {
	path string
	api  [numFunctions]uintptr
}

type function int

const (
	create function = iota
	addData
	complete
	cubinSize
	getCubin
	errorSize
	getError
	infoSize
	getInfo
	destroy
	numFunctions
)

var names = [numFunctions]string{
	create: "Create", addData: "AddData", complete: "Complete",
	cubinSize: "GetLinkedCubinSize", getCubin: "GetLinkedCubin",
	errorSize: "GetErrorLogSize", getError: "GetErrorLog",
	infoSize: "GetInfoLogSize", getInfo: "GetInfoLog",
	destroy: "Destroy",
}

// Kind is what an input is, as the library counts kinds.
type Kind int

// The kinds of inputs.
const (
	Cubin Kind = iota + 1
	PTX
	LTOIR
	FatBinary
	Object
	Archive
)

// Input is one file in memory.
type Input struct {
	Kind Kind
	// Name stands for the input in messages.
	Name string
	Data []byte
}

var (
	mu     sync.Mutex
	opened = map[string]*Library{}
)

// Open opens the library at path, once a process. major and minor are its
// version, which its functions carry in their names. Errors name the path.
func Open(path string, major, minor int) (*Library, error) {
	mu.Lock()
	defer mu.Unlock()
	if l, ok := opened[path]; ok {
		return l, nil
	}
	shared, err := ffi.Open(path)
	if err != nil {
		return nil, err
	}
	l := &Library{path: path}
	for f, name := range names {
		if l.api[f], err = shared.Lookup(fmt.Sprintf("__nvJitLink%s_%d_%d", name, major, minor)); err != nil {
			return nil, err
		}
	}
	opened[path] = l
	return l, nil
}

// Error is what the library says of inputs it refuses.
type Error struct {
	// Code is the library's own number of the fault.
	Code int
	// Log is everything it says.
	Log string
}

// Error returns the first line of the log, or the code where there is none.
func (e *Error) Error() string {
	for line := range strings.Lines(e.Log) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return fmt.Sprintf("libnvJitLink: fault %d", e.Code)
}

// Link makes one cubin of the inputs. Options are the library's own, such as
// "-arch=sm_90a". info is what it says of the kernels, for "-verbose". Errors
// about the inputs are of type [*Error].
func (l *Library) Link(inputs []Input, options []string) (cubin []byte, info string, err error) {
	if len(options) == 0 {
		return nil, "", errors.New("libnvJitLink: no options: it needs -arch")
	}
	// The thread keeps the library's state of errors.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	texts := make([]*ffi.Text, len(options))
	addresses := make([]uintptr, len(options))
	for i, o := range options {
		texts[i] = ffi.NewText(o)
		addresses[i] = texts[i].Address()
	}
	s := &session{api: &l.api}
	f := ffi.Enter(l.api[create])
	ffi.Pointer(f, &s.handle)
	f.Word(uintptr(len(options)))
	ffi.Elements(f, addresses)
	code := int32(f.Call())
	runtime.KeepAlive(texts)
	if code != 0 || s.handle == 0 {
		return nil, "", &Error{Code: int(code), Log: fmt.Sprintf("libnvJitLink takes none of the options %s", strings.Join(options, " "))}
	}
	defer s.close()
	return s.link(inputs)
}

// session is one linker of the library.
type session struct {
	api    *[numFunctions]uintptr
	handle uintptr
}

func (s *session) close() {
	f := ffi.Enter(s.api[destroy])
	ffi.Pointer(f, &s.handle)
	f.Call()
}

func (s *session) link(inputs []Input) (cubin []byte, info string, err error) {
	for i := range inputs {
		in := &inputs[i]
		data := in.Data
		if in.Kind == PTX {
			// Text ends with a zero, which counts.
			data = append(bytes.Clone(data), 0)
		}
		f := ffi.Enter(s.api[addData])
		f.Word(s.handle)
		f.Word(uintptr(in.Kind))
		ffi.Elements(f, data)
		f.Word(uintptr(len(data)))
		f.Text(in.Name)
		if code := int32(f.Call()); code != 0 {
			return nil, "", s.fault(code)
		}
	}
	f := ffi.Enter(s.api[complete])
	f.Word(s.handle)
	if code := int32(f.Call()); code != 0 {
		return nil, "", s.fault(code)
	}
	if cubin, err = s.bytes(cubinSize, getCubin); err != nil {
		return nil, "", err
	}
	return cubin, s.text(infoSize, getInfo), nil
}

func (s *session) fault(code int32) error {
	return &Error{Code: int(code), Log: s.text(errorSize, getError)}
}

func (s *session) text(size, get function) string {
	b, err := s.bytes(size, get)
	if err != nil {
		return ""
	}
	return string(bytes.TrimRight(b, "\x00"))
}

// bytes asks for the size of something and then for itself.
func (s *session) bytes(size, get function) ([]byte, error) {
	n := new(uint64)
	f := ffi.Enter(s.api[size])
	f.Word(s.handle)
	ffi.Pointer(f, n)
	if code := int32(f.Call()); code != 0 {
		return nil, &Error{Code: int(code)}
	}
	const most = 1 << 31
	if *n == 0 || *n > most {
		return nil, nil
	}
	b := make([]byte, *n)
	f = ffi.Enter(s.api[get])
	f.Word(s.handle)
	ffi.Elements(f, b)
	if code := int32(f.Call()); code != 0 {
		return nil, &Error{Code: int(code)}
	}
	return b, nil
}
