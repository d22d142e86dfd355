package image

// The encodings an abbreviation's operand can have.
const (
	encLiteral = iota
	encFixed
	encVBR
	encArray
	encChar6
	encBlob
)

// operand is one operand of an abbreviation: an encoding and its width or value.
type operand struct {
	encoding uint8
	value    uint64
}

// The outer bounds of what a record of the identification block can be: the
// real ones have a code and a dozen characters.
const (
	maxRecord        = 1024
	maxOperands      = 16
	maxAbbreviations = 32
)

// record is a record's code and operands.
type record struct {
	code uint64
	ops  []uint64
}

// records calls f with each record of a block's body until the block ends.
// Nested blocks, blobs and anything above the bounds are an error.
func records(body []byte, width uint64, f func(record)) error {
	c := bitCursor{b: body}
	var abbreviations [][]operand
	for {
		id, err := c.read(width)
		if err != nil {
			return err
		}
		switch id {
		case 0:
			return nil
		case enterSubblock:
			return errBitsForm
		case 2:
			ops, err := c.define()
			if err != nil {
				return err
			}
			if len(abbreviations) == maxAbbreviations {
				return errBitsForm
			}
			abbreviations = append(abbreviations, ops)
		case 3:
			r, err := c.unabbreviated()
			if err != nil {
				return err
			}
			f(r)
		default:
			if id-4 >= uint64(len(abbreviations)) {
				return errBitsForm
			}
			r, err := c.abbreviated(abbreviations[id-4])
			if err != nil {
				return err
			}
			f(r)
		}
	}
}

// define reads the definition of an abbreviation.
func (c *bitCursor) define() ([]operand, error) {
	n, err := c.vbr(5)
	if err != nil {
		return nil, err
	}
	if n == 0 || n > maxOperands {
		return nil, errBitsForm
	}
	ops := make([]operand, 0, n)
	for range n {
		literal, err := c.read(1)
		if err != nil {
			return nil, err
		}
		var op operand
		if literal == 1 {
			op.value, err = c.vbr(8)
		} else {
			var encoding uint64
			encoding, err = c.read(3)
			op.encoding = uint8(encoding)
			switch {
			case err != nil:
			case encoding == encFixed || encoding == encVBR:
				op.value, err = c.vbr(5)
				if op.value > 64 {
					err = errBitsForm
				}
			case encoding != encArray && encoding != encChar6:
				err = errBitsForm
			}
		}
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	return ops, nil
}

func (c *bitCursor) unabbreviated() (record, error) {
	code, err := c.vbr(6)
	if err != nil {
		return record{}, err
	}
	n, err := c.vbr(6)
	if err != nil {
		return record{}, err
	}
	if n > maxRecord {
		return record{}, errBitsForm
	}
	r := record{code: code}
	for range n {
		v, err := c.vbr(6)
		if err != nil {
			return record{}, err
		}
		r.ops = append(r.ops, v)
	}
	return r, nil
}

func (c *bitCursor) abbreviated(ops []operand) (record, error) {
	var values []uint64
	for i := 0; i < len(ops); i++ {
		if ops[i].encoding != encArray {
			v, err := c.scalar(ops[i])
			if err != nil {
				return record{}, err
			}
			values = append(values, v)
			continue
		}
		if i != len(ops)-2 {
			return record{}, errBitsForm
		}
		n, err := c.vbr(6)
		if err != nil {
			return record{}, err
		}
		if n > maxRecord {
			return record{}, errBitsForm
		}
		for range n {
			v, err := c.scalar(ops[i+1])
			if err != nil {
				return record{}, err
			}
			values = append(values, v)
		}
		break
	}
	if len(values) == 0 {
		return record{}, errBitsForm
	}
	return record{code: values[0], ops: values[1:]}, nil
}

const char6 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"

func (c *bitCursor) scalar(op operand) (uint64, error) {
	switch op.encoding {
	case encLiteral:
		return op.value, nil
	case encFixed:
		return c.read(op.value)
	case encVBR:
		if op.value == 0 {
			return 0, nil
		}
		return c.vbr(op.value)
	case encChar6:
		v, err := c.read(6)
		return uint64(char6[v&63]), err
	}
	return 0, errBitsForm
}
