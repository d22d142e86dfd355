package compile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// dump writes what each stage of one compile made into a folder of its own.
// The nil dump writes nothing.
type dump struct {
	folder string
	n      int
	warn   func(error)
}

// newDump makes a folder under parent, named by kernel and key, that no other
// compile writes to. A fault is given to warn, and nothing is dumped.
func newDump(parent string, r *Request, warn func(error)) *dump {
	if parent == "" {
		return nil
	}
	key := r.Digest()
	name := fileName(r.Kernel) + "-" + hex.EncodeToString(key[:4])
	if err := os.MkdirAll(parent, 0o755); err != nil {
		warn(fmt.Errorf("making the dump folder: %w", err))
		return nil
	}
	const most = 10_000
	for i := 1; i < most; i++ {
		folder := filepath.Join(parent, name)
		if i > 1 {
			folder += fmt.Sprintf(".%d", i)
		}
		err := os.Mkdir(folder, 0o755)
		if err == nil {
			return &dump{folder: folder, warn: warn}
		}
		if !errors.Is(err, fs.ErrExist) {
			warn(fmt.Errorf("making a dump folder: %w", err))
			return nil
		}
	}
	warn(fmt.Errorf("making a dump folder: %s holds %d dumps of %s, remove some", parent, most, name))
	return nil
}

// next numbers the stage that follows.
func (d *dump) next() {
	if d != nil {
		d.n++
	}
}

// write puts what the stage made into a file with the extension.
func (d *dump) write(stage Stage, extension string, content []byte) {
	if d == nil {
		return
	}
	file := filepath.Join(d.folder, fmt.Sprintf("%02d-%s%s", d.n, stage, extension))
	if err := os.WriteFile(file, content, 0o644); err != nil {
		d.warn(fmt.Errorf("writing a dump: %w", err))
	}
}

// fileName makes a file name of at most 64 bytes of a kernel's name.
func fileName(kernel string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, kernel)
	name = strings.TrimLeft(name, ".")
	if name == "" {
		name = "_"
	}
	return name[:min(len(name), 64)]
}
