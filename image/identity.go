package image

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Identity is what a bitcode file says of its writer.
type Identity struct {
	// Producer is the writer's own spelling, such as "LLVM22.1.8". It is empty
	// for textual IR and for bitcode from before LLVM 3.8.
	Producer string
	// Epoch is the bitcode epoch: a reader takes files of its own epoch only.
	// It is 0 for every LLVM so far.
	Epoch uint64
}

// Major returns the producer's LLVM major version, and false where the
// producer is no LLVM or does not say.
func (id Identity) Major() (major int, ok bool) {
	s, ok := strings.CutPrefix(id.Producer, "LLVM")
	if !ok {
		return 0, false
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		s = s[:i]
	}
	major, err := strconv.Atoi(s)
	return major, err == nil
}

const (
	blockModule         = 8
	blockIdentification = 13

	recordProducer = 1
	recordEpoch    = 2
)

// Identify reads the identification block of bitcode, raw or wrapped, and
// checks that the outermost blocks lie within the file and that one of them is
// a module. Textual IR has the zero Identity. For every error the Identity is
// zero and the error matches [ErrFormat]; it names the producer where the file
// got that far.
func Identify(b []byte) (Identity, error) {
	kind, err := Recognise(b)
	if err != nil {
		return Identity{}, err
	}
	switch kind {
	case TextIR:
		return Identity{}, nil
	case Bitcode, WrappedBitcode:
	default:
		return Identity{}, fmt.Errorf("this is %s, not bitcode; what it holds may be, see Open: %w", kind, ErrFormat)
	}
	b, err = Unwrap(b)
	if err != nil {
		return Identity{}, err
	}
	return identifyBlocks(b)
}

// identifyBlocks walks the outermost blocks of raw bitcode.
func identifyBlocks(b []byte) (Identity, error) {
	c := bitCursor{b: b, bit: uint64(len(magicBitcode)) * 8}
	var id Identity
	modules := 0
	// Eight bytes or fewer hold no further block: some archivers pad that far.
	for c.rest() > 8 {
		at := c.bit / 8
		blk, err := c.enter()
		if err != nil {
			return Identity{}, damaged(id, fmt.Sprintf("no block begins at byte %d", at))
		}
		if blk.bytes > uint64(len(blk.body)) {
			return Identity{}, fmt.Errorf("bitcode%s is truncated: block %d at byte %d has %d bytes, the file ends after %d of them: %w",
				by(id), blk.id, at, blk.bytes, len(blk.body), ErrFormat)
		}
		switch blk.id {
		case blockIdentification:
			// With several modules in a file the first one speaks for it.
			if id.Producer != "" {
				continue
			}
			if id, err = identification(blk); err != nil {
				return Identity{}, damaged(Identity{}, "its identification block is unreadable: "+err.Error())
			}
		case blockModule:
			modules++
		}
	}
	if modules == 0 {
		return Identity{}, fmt.Errorf("bitcode%s is truncated: it ends before a module: %w", by(id), ErrFormat)
	}
	return id, nil
}

func damaged(id Identity, how string) error {
	return fmt.Errorf("bitcode%s is damaged: %s: %w", by(id), how, ErrFormat)
}

func by(id Identity) string {
	if id.Producer == "" {
		return ""
	}
	return " made by " + id.Producer
}

func identification(blk block) (Identity, error) {
	var id Identity
	var bad error
	err := records(blk.body, blk.width, func(r record) {
		switch r.code {
		case recordProducer:
			name := make([]byte, 0, len(r.ops))
			for _, ch := range r.ops {
				if ch < ' ' || ch > '~' {
					bad = errors.New("the producer's name is not printable")
					return
				}
				name = append(name, byte(ch))
			}
			id.Producer = string(name)
		case recordEpoch:
			if len(r.ops) > 0 {
				id.Epoch = r.ops[0]
			}
		}
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return Identity{}, err
	}
	return id, nil
}
