package image

import "fmt"

func (im *Image) fields(c *coder, payloadBytes *uint64) {
	enum(c, &im.Format, Object, CubinCode)
	enum(c, &im.Convention, Host, Grid)
	c.text(&im.Target.Triple)
	c.text(&im.Target.Processor)
	c.text(&im.Target.Features)
	c.text(&im.Kernel)
	c.text(&im.Entry)
	c.dim(&im.Block)
	c.dim(&im.Grid)
	c.u32(&im.MaxBlock)
	c.u32(&im.ParamBytes)
	c.u32(&im.StackBytes)
	c.u64(&im.ContextBytes)
	list(c, &im.Globals, leastSlot, slotFields)
	list(c, &im.Variables, leastSlot, slotFields)
	c.boolean(&im.Constructors)
	im.Resources.fields(c)
	list(c, &im.Undefined, 4, (*coder).text)
	list(c, &im.Remarks, 4, (*coder).text)
	c.u64(payloadBytes)
}

func (r *Resources) fields(c *coder) {
	for _, n := range [...]*uint32{&r.Registers, &r.Scalars, &r.Accumulators, &r.SpillBytes, &r.LocalBytes, &r.SharedBytes, &r.Wave} {
		c.u32(n)
	}
}

// leastSlot is the fewest bytes a slot takes.
const leastSlot = 4 + 4 + 8 + 4 + 1

func slotFields(c *coder, s *Slot) {
	c.u32(&s.Index)
	c.text(&s.Name)
	c.u64(&s.Bytes)
	c.u32(&s.Align)
	c.boolean(&s.Constant)
}

// Marshal returns the image's encoding, which [UnmarshalImage] reads back. It
// is the same bytes for equal images. A nil and an empty slice are one value.
func (im *Image) Marshal() []byte {
	n := uint64(len(im.Payload))
	return marshal(magicImage, 1024, func(c *coder) { im.fields(c, &n) }, im.Payload)
}

// UnmarshalImage reads what [Image.Marshal] wrote. The image's Payload aliases
// b, which must not be modified while the image is used; all else is copied.
// Truncated, damaged or overlong input and that of another format version is an
// error that matches [ErrFormat], with a nil image. There is no checksum here:
// whoever stores the bytes guards them.
func UnmarshalImage(b []byte) (*Image, error) {
	const what = "image"
	head, payload, err := openHead(b, magicImage, what)
	if err != nil {
		return nil, err
	}
	c := coder{in: head}
	im := new(Image)
	var n uint64
	im.fields(&c, &n)
	if err := c.close(what); err != nil {
		return nil, err
	}
	if n != uint64(len(payload)) {
		return nil, fmt.Errorf("decoding %s: its payload has %d bytes, %d are there: %w", what, n, len(payload), ErrFormat)
	}
	if n > 0 {
		im.Payload = payload[:n:n]
	}
	return im, nil
}
