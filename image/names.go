package image

import "fmt"

// String returns the format's name, such as "object".
func (f Format) String() string {
	switch f {
	case Object:
		return "object"
	case PTX:
		return "PTX"
	case CodeObject:
		return "code object"
	case CubinCode:
		return "cubin"
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// String returns "host" or "grid".
func (c Convention) String() string {
	switch c {
	case Host:
		return "host"
	case Grid:
		return "grid"
	}
	return fmt.Sprintf("Convention(%d)", uint8(c))
}

// MarshalText gives JSON the convention's name.
func (c Convention) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String returns the kind's name, such as "shared pointer".
func (k ParamKind) String() string {
	switch k {
	case Scalar:
		return "scalar"
	case Pointer:
		return "pointer"
	case Aggregate:
		return "aggregate"
	case SharedPointer:
		return "shared pointer"
	}
	return fmt.Sprintf("ParamKind(%d)", uint8(k))
}

// MarshalText gives JSON the kind's name.
func (k ParamKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText gives JSON the format's name.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// MarshalText gives JSON the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
