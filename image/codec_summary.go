package image

import "fmt"

// The fewest bytes one element takes.
const (
	leastParam  = 4 + 1 + 4 + 3*4 + 2
	leastKernel = 4 + 1 + 4 + leastParam + 2*4 + 3*4 + 2*4 + 1
	leastGlobal = 4 + 8 + 4 + 2 + 4
)

func (s *Summary) fields(c *coder) {
	c.text(&s.Producer)
	c.text(&s.Triple)
	c.text(&s.DataLayout)
	list(c, &s.Kernels, leastKernel, kernelFields)
	list(c, &s.Globals, leastGlobal, globalFields)
}

func kernelFields(c *coder, k *Kernel) {
	c.text(&k.Name)
	enum(c, &k.Convention, Host, Grid)
	list(c, &k.Params, leastParam, paramFields)
	paramFields(c, &k.Result)
	c.u32(&k.ParamBytes)
	c.u32(&k.ParamAlign)
	c.dim(&k.ReqdBlock)
	c.u32(&k.MaxBlock)
	c.u32(&k.SharedBytes)
	c.boolean(&k.DynamicShared)
}

func paramFields(c *coder, p *Param) {
	c.text(&p.Name)
	enum(c, &p.Kind, Scalar, SharedPointer)
	c.text(&p.Type)
	c.u32(&p.Size)
	c.u32(&p.Align)
	c.u32(&p.Offset)
	c.boolean(&p.ReadOnly)
	c.boolean(&p.WriteOnly)
}

func globalFields(c *coder, g *Global) {
	c.text(&g.Name)
	c.u64(&g.Bytes)
	c.u32(&g.Align)
	c.boolean(&g.Constant)
	c.boolean(&g.Initialised)
	c.u32(&g.AddressSpace)
}

// Marshal returns the summary's encoding, which [UnmarshalSummary] reads back.
// It is the same bytes for equal summaries. A nil and an empty slice are one value.
func (s *Summary) Marshal() []byte {
	return marshal(magicSummary, 1024, s.fields, nil)
}

// UnmarshalSummary reads what [Summary.Marshal] wrote and keeps no reference to
// b. Truncated, damaged or overlong input and that of another format version is
// an error that matches [ErrFormat], with a nil summary.
func UnmarshalSummary(b []byte) (*Summary, error) {
	const what = "summary"
	head, rest, err := openHead(b, magicSummary, what)
	if err != nil {
		return nil, err
	}
	c := coder{in: head}
	s := new(Summary)
	s.fields(&c)
	if err := c.close(what); err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("decoding %s: %d bytes follow its end: %w", what, len(rest), ErrFormat)
	}
	return s, nil
}
