package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// Revision numbers what this package makes of a request. It is part of every
// key and goes up with each change that makes other code of the same request,
// so that images of an older engine are misses and not wrong answers.
const Revision = 4

// Digest returns the request's key: the SHA-256 of everything that decides the
// image. The module counts by its digest, which is computed here when
// r.ModuleDigest is zero (about 1 ms for each MB). Two requests with the same
// digest have the same image. Digest does not modify r.
func (r *Request) Digest() [32]byte {
	k := keyWriter{preimage: make([]byte, 0, 512)}
	r.writeKey(&k)
	return sha256.Sum256(k.preimage)
}

// SummaryDigest returns the key under which the summary of the module with the
// given SHA-256 is kept when t makes it. It never equals a request's key.
func SummaryDigest(module [32]byte, t Toolchain) [32]byte {
	var k keyWriter
	k.summary(module, t)
	return sha256.Sum256(k.preimage)
}

// DescribeSummary returns what the key of a summary is made of, as
// [Request.Describe] does of a request.
func DescribeSummary(module [32]byte, t Toolchain) string {
	var lines strings.Builder
	k := keyWriter{lines: &lines}
	k.summary(module, t)
	digest := sha256.Sum256(k.preimage)
	fmt.Fprintf(&lines, lineFormat, "digest:", hex.EncodeToString(digest[:]))
	return lines.String()
}

func (k *keyWriter) summary(module [32]byte, t Toolchain) {
	k.text("kind", "kiln summary")
	k.number("revision", Revision, nil)
	k.bytes("module", module[:], nil)
	k.text("llvm build id", t.BuildID)
	k.text("llvm version", t.Version)
}

// Describe writes what the key is made of, one "name: value" a line in the
// key's order and the digest last, for a reader who wonders why two requests
// have different keys. It returns the writer's error.
func (r *Request) Describe(w io.Writer) error {
	var lines strings.Builder
	r.writeKey(&keyWriter{lines: &lines})
	digest := r.Digest()
	fmt.Fprintf(&lines, lineFormat, "digest:", hex.EncodeToString(digest[:]))
	_, err := io.WriteString(w, lines.String())
	return err
}

const lineFormat = "%-16s %s\n"

// writeKey lists the key's parts in their order, which is part of the key.
func (r *Request) writeKey(k *keyWriter) {
	digest := r.moduleDigest()
	k.text("kind", "kiln image")
	k.number("revision", Revision, nil)
	k.bytes("module", digest[:], nil)
	k.text("kernel", r.Kernel)
	k.number("variables", b2u(r.Variables), nil)
	k.text("triple", r.Target.Triple)
	k.text("processor", r.Target.Processor)
	k.text("features", r.Target.Features)
	k.bytes("specialisation", r.Spec.AppendEncoding(nil), (*specText)(&r.Spec))
	k.number("opt", uint64(r.Options.Opt), r.Options.Opt)
	k.number("codegen", uint64(r.Options.Codegen), r.Options.Codegen)
	k.text("pipeline", r.Options.Pipeline)
	k.number("debug", b2u(r.Options.Debug), nil)
	k.text("llvm build id", r.Toolchain.BuildID)
	k.text("llvm version", r.Toolchain.Version)
	r.writeGPUKey(k)
}

// writeGPUKey lists what matters to GPUs alone; requests for a CPU have none of it.
func (r *Request) writeGPUKey(k *keyWriter) {
	if r.Options.CodeObject == 0 && r.Tools == (Tools{}) && r.Limits == (target.Limits{}) {
		return
	}
	k.number("code object", uint64(r.Options.CodeObject), nil)
	for _, part := range [...]struct {
		name string
		id   tool.Identity
	}{{"assembler", r.Tools.Assembler}, {"device library", r.Tools.Library}} {
		k.text(part.name, part.id.Name)
		k.text(" version", part.id.Version)
		k.text(" digest", part.id.Digest)
	}
	l := &r.Limits
	k.number("PTX limit", uint64(l.PTX), l.PTX)
	var b []byte
	for _, n := range [...]uint32{
		l.ParamBytes, l.StaticShared, l.SharedBytes, l.Block, l.BlockDims[0], l.BlockDims[1], l.BlockDims[2], l.Registers, l.Cluster,
	} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	k.bytes("limits", b, (*limitsText)(l))
}

// limitsText shows a device's limits.
type limitsText target.Limits

func (l *limitsText) String() string {
	if *l == (limitsText{PTX: l.PTX}) {
		return "the processor's"
	}
	return fmt.Sprintf("parameters %d, shared %d and %d, block %d of %v, registers %d, cluster %d",
		l.ParamBytes, l.StaticShared, l.SharedBytes, l.Block, l.BlockDims, l.Registers, l.Cluster)
}

// keyWriter collects the pre-image of a digest: each field behind its length,
// so that no two lists of fields give the same bytes. Where lines is set, it
// also describes the fields for people.
type keyWriter struct {
	preimage []byte
	lines    *strings.Builder
}

func (k *keyWriter) bytes(name string, value []byte, shown fmt.Stringer) {
	k.preimage = binary.LittleEndian.AppendUint64(k.preimage, uint64(len(value)))
	k.preimage = append(k.preimage, value...)
	switch {
	case k.lines == nil:
	case shown != nil:
		fmt.Fprintf(k.lines, lineFormat, name+":", shown)
	default:
		fmt.Fprintf(k.lines, lineFormat, name+":", hex.EncodeToString(value))
	}
}

func (k *keyWriter) text(name, value string) {
	k.preimage = binary.LittleEndian.AppendUint64(k.preimage, uint64(len(value)))
	k.preimage = append(k.preimage, value...)
	if k.lines != nil {
		fmt.Fprintf(k.lines, lineFormat, name+":", strconv.Quote(value))
	}
}

func (k *keyWriter) number(name string, value uint64, shown fmt.Stringer) {
	k.preimage = binary.LittleEndian.AppendUint64(k.preimage, 8)
	k.preimage = binary.LittleEndian.AppendUint64(k.preimage, value)
	switch {
	case k.lines == nil:
	case shown != nil:
		fmt.Fprintf(k.lines, lineFormat, name+":", shown)
	default:
		fmt.Fprintf(k.lines, lineFormat, name+":", strconv.FormatUint(value, 10))
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (r *Request) moduleDigest() [32]byte {
	if r.ModuleDigest != ([32]byte{}) {
		return r.ModuleDigest
	}
	return sha256.Sum256(r.Module)
}

// specText shows a specialisation: "1=0x05000000 block=256,1,1".
type specText specialize.Spec

func (t *specText) String() string {
	s := (*specialize.Spec)(t)
	if s.IsZero() {
		return "none"
	}
	var parts []string
	for _, c := range s.Constants {
		parts = append(parts, fmt.Sprintf("%d=0x%x", c.Index, c.Bytes))
	}
	if s.Block != ([3]uint32{}) {
		parts = append(parts, fmt.Sprintf("block=%d,%d,%d", s.Block[0], s.Block[1], s.Block[2]))
	}
	if s.Grid != ([3]uint32{}) {
		parts = append(parts, fmt.Sprintf("grid=%d,%d,%d", s.Grid[0], s.Grid[1], s.Grid[2]))
	}
	if s.MaxBlock != 0 {
		parts = append(parts, fmt.Sprintf("at most %d a block", s.MaxBlock))
	}
	if s.MinBlocks != 0 {
		parts = append(parts, fmt.Sprintf("at least %d blocks", s.MinBlocks))
	}
	return strings.Join(parts, " ")
}
