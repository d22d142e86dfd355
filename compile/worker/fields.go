package worker

import (
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

func (g *greeting) fields(w *wire) {
	number(w, &g.Protocol)
	number(w, &g.Revision)
	text(w, &g.Library)
	text(w, &g.Dump)
	number(w, &g.Memory)
	for _, folders := range [...]*[]string{&g.Tools.CUDA, &g.Tools.ROCm, &g.Tools.Path} {
		list(w, folders, text[string])
	}
	w.flag(&g.Tools.Only)
	text(w, &g.Tools.Assembler)
}

func (a *welcome) fields(w *wire) {
	number(w, &a.Protocol)
	number(w, &a.Revision)
	toolchain(w, &a.Toolchain)
	text(w, &a.Fault)
}

func (q *question) fields(w *wire) {
	w.flag(&q.Summarise)
	r := &q.Request
	w.blob(&r.Module)
	w.array(r.ModuleDigest[:])
	text(w, &r.Kernel)
	w.flag(&r.Variables)
	machine(w, &r.Target)
	list(w, &r.Spec.Constants, func(w *wire, c *specialize.Constant) {
		number(w, &c.Index)
		w.blob(&c.Bytes)
	})
	for i := range 3 {
		number(w, &r.Spec.Block[i])
		number(w, &r.Spec.Grid[i])
	}
	number(w, &r.Spec.MaxBlock)
	number(w, &r.Spec.MinBlocks)
	number(w, &r.Options.Opt)
	number(w, &r.Options.Codegen)
	text(w, &r.Options.Pipeline)
	w.flag(&r.Options.Debug)
	number(w, &r.Options.CodeObject)
	limits(w, &r.Limits)
	toolchain(w, &r.Toolchain)
	identity(w, &r.Tools.Assembler)
	identity(w, &r.Tools.Library)
}

func limits(w *wire, l *target.Limits) {
	number(w, &l.PTX)
	for _, n := range [...]*uint32{
		&l.ParamBytes, &l.StaticShared, &l.SharedBytes, &l.Block, &l.BlockDims[0], &l.BlockDims[1], &l.BlockDims[2], &l.Registers, &l.Cluster,
	} {
		number(w, n)
	}
}

func identity(w *wire, i *tool.Identity) {
	text(w, &i.Name)
	text(w, &i.Version)
	text(w, &i.Digest)
}

func (m *message) fields(w *wire) {
	text(w, &m.Begun)
	optional(w, &m.Event, (*event).fields)
	w.flag(&m.Done)
	w.blob(&m.Reply)
	optional(w, &m.Fault, (*failure).fields)
}

func (e *event) fields(w *wire) {
	text(w, &e.Stage)
	text(w, &e.Kernel)
	machine(w, &e.Target)
	number(w, &e.Duration)
	optional(w, &e.Fault, (*failure).fields)
	text(w, &e.Warning)
}

func (f *failure) fields(w *wire) {
	text(w, &f.Stage)
	text(w, &f.Kernel)
	machine(w, &f.Target)
	text(w, &f.Summary)
	text(w, &f.Log)
	text(w, &f.Text)
	list(w, &f.Matches, func(w *wire, p *int) { number(w, p) })
}

func machine(w *wire, t *target.Target) {
	text(w, &t.Triple)
	text(w, &t.Processor)
	text(w, &t.Features)
}

func toolchain(w *wire, t *compile.Toolchain) {
	text(w, &t.BuildID)
	text(w, &t.Version)
}
