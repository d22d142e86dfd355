package worker

import (
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

func (g *greeting) fields(w *wire) {
	number(w, &g.Protocol)
	number(w, &g.Revision)
	text(w, &g.Library)
	text(w, &g.Dump)
	number(w, &g.Memory)
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
	number(w, &r.Options.Opt)
	number(w, &r.Options.Codegen)
	text(w, &r.Options.Pipeline)
	w.flag(&r.Options.Debug)
	toolchain(w, &r.Toolchain)
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
