package argument

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the form of an argument.
type Kind uint8

const (
	// Scalar is one number: f32=2.5.
	Scalar Kind = iota
	// Buffer is memory: f32[1024]=rand.
	Buffer
	// Null is a null pointer: null.
	Null
	// Local is shared memory of a group, sized by the caller: local=4Ki.
	Local
	// Use is the buffer that an earlier launch named: use:y.
	Use
)

// Fill is what a buffer holds before the launch.
type Fill uint8

const (
	// Value is one number in every element.
	Value Fill = iota
	// Random is the generator's numbers in a type's natural range: 0 to 1 for
	// floats, all bits for integers.
	Random
	// Range is the generator's numbers between two bounds.
	Range
	// File is a file's content.
	File
)

// Argument is one kernel argument as typed.
type Argument struct {
	// Text is the argument as it was typed.
	Text string
	Kind Kind
	// Name is what a Buffer is called for later launches, and which one a Use means.
	Name string
	// Out marks a buffer whose sum is wanted, Const a scalar to be compiled in.
	Out, Const bool
	Type       Type
	// Count is a buffer's number of elements, -1 where the file says it, and
	// the bytes of a Local.
	Count int
	Fill  Fill
	// Seed is the generator's.
	Seed uint32
	// Path is the file of a File fill.
	Path string
	// Low and High bound a Range; High is not reached. For integers they are whole.
	Low, High float64

	bits uint64 // the number of a Scalar or a Value fill
}

// MaxBytes bounds one buffer.
const MaxBytes = 1 << 36

// Grammar says in a few lines what an argument looks like.
const Grammar = `i32=5  f32=2.5  const:i32=7        a number; const: compiles its value in
f32[1M]=rand  i32[64]=0  u8[4Ki]=7  a buffer: random, or one number throughout
f32[1M]=-1..1                       random between two bounds
f32[]=@file.npy                     a file's content
out:f32[64]=0                       out: prints the buffer's sum after the launch
seed:3:f32[1M]=0..1                 seed: of the random numbers, else 1 for the first argument, 2 for the second
as:y:f32[64]=0  use:y               as: names the buffer; use: is that buffer in a later launch
null  local=4Ki                     a null pointer; shared memory of a group (OpenCL)
types: i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64; counts take k M G (1000s), Ki Mi Gi (1024s)`

// Parse reads one argument. Position counts from 0; where the argument names
// no seed, position+1 is its seed.
func Parse(text string, position int) (Argument, error) {
	a := Argument{Text: text, Seed: uint32(position) + 1}
	if err := a.parse(text); err != nil {
		return Argument{}, fmt.Errorf("argument %d, %q: %w", position, text, err)
	}
	return a, nil
}

func (a *Argument) parse(rest string) error {
	seeded := false
	for {
		prefix, after, found := strings.Cut(rest, ":")
		if !found || strings.ContainsAny(prefix, "=[@") {
			break
		}
		rest = after
		switch {
		case prefix == "out" && !a.Out:
			a.Out = true
		case prefix == "const" && !a.Const:
			a.Const = true
		case prefix == "seed" && !seeded:
			number, after, _ := strings.Cut(rest, ":")
			seed, err := strconv.ParseUint(number, 10, 32)
			if err != nil {
				return fmt.Errorf("%q is not a seed: it takes a whole number up to 4294967295, then a colon", number)
			}
			a.Seed, rest, seeded = uint32(seed), after, true
		case prefix == "as" && a.Name == "":
			a.Name, rest, _ = strings.Cut(rest, ":")
			if !isName(a.Name) {
				return fmt.Errorf("%q is not a buffer's name: it takes letters, digits and _, then a colon", a.Name)
			}
		case prefix == "use" && a.Name == "":
			if !isName(rest) {
				return fmt.Errorf("%q is not a buffer's name: use: takes the name that as: gave in an earlier launch", rest)
			}
			a.Kind, a.Name = Use, rest
			return a.agree(seeded)
		default:
			return fmt.Errorf("%q is not a prefix, or stands there twice: the prefixes are out:, const:, seed:N:, as:NAME: and use:", prefix+":")
		}
	}
	if rest == "null" {
		a.Kind = Null
		return a.agree(seeded)
	}
	left, value, found := strings.Cut(rest, "=")
	if !found {
		return errors.New("no value: an argument looks like i32=5 or f32[1024]=rand")
	}
	if left == "local" {
		bytes, err := ParseCount(value)
		a.Kind, a.Count = Local, int(bytes)
		return errors.Join(err, a.agree(seeded))
	}
	name, count, isBuffer := strings.Cut(left, "[")
	var err error
	if a.Type, err = ParseType(name); err != nil {
		return err
	}
	if !isBuffer {
		if a.bits, err = a.Type.parseNumber(value); err != nil {
			return err
		}
		return a.agree(seeded)
	}
	a.Kind = Buffer
	count, closed := strings.CutSuffix(count, "]")
	if !closed {
		return fmt.Errorf("no ] after the count in %q", left)
	}
	if err := a.parseFill(value); err != nil {
		return err
	}
	if err := a.parseElements(count); err != nil {
		return err
	}
	return a.agree(seeded)
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func (a *Argument) parseElements(count string) error {
	if count == "" {
		if a.Fill != File {
			return errors.New("no count: only @file says itself how many elements there are")
		}
		a.Count = -1
		return nil
	}
	n, err := ParseCount(count)
	if err != nil {
		return err
	}
	if n > MaxBytes/int64(a.Type.Size()) {
		return fmt.Errorf("%d elements of %s are more than %d bytes", n, a.Type, int64(MaxBytes))
	}
	a.Count = int(n)
	return nil
}

func (a *Argument) parseFill(value string) (err error) {
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		a.Fill, a.Path = File, path
		if path == "" {
			return errors.New("no file name after @")
		}
		return nil
	}
	if value == "rand" {
		a.Fill = Random
		return nil
	}
	low, high, isRange := strings.Cut(value, "..")
	if !isRange {
		a.bits, err = a.Type.parseNumber(value)
		return err
	}
	a.Fill = Range
	for _, bound := range []struct {
		text string
		to   *float64
	}{{low, &a.Low}, {high, &a.High}} {
		if _, err := a.Type.parseNumber(bound.text); err != nil {
			return err
		}
		if *bound.to, err = strconv.ParseFloat(bound.text, 64); err != nil || math.IsInf(*bound.to, 0) || math.IsNaN(*bound.to) {
			return fmt.Errorf("%q is not a bound", bound.text)
		}
	}
	if a.High < a.Low || !a.Type.Float() && a.High == a.Low {
		return fmt.Errorf("the range %s is empty", value)
	}
	return nil
}

// agree reports prefixes that say nothing about this kind of argument.
func (a *Argument) agree(seeded bool) error {
	switch {
	case a.Const && a.Kind != Scalar && a.Kind != Buffer:
		return errors.New("const: goes with a number or a struct by value; addresses differ from run to run")
	case a.Name != "" && a.Kind != Buffer && a.Kind != Use:
		return errors.New("as: goes with a buffer, such as as:y:f32[64]=0")
	case a.Out && a.Kind != Buffer && a.Kind != Use:
		return errors.New("out: goes with a buffer, such as out:f32[64]=0")
	case seeded && (a.Kind != Buffer || a.Fill != Random && a.Fill != Range):
		return errors.New("seed: goes with a random buffer, such as seed:3:f32[64]=rand")
	}
	return nil
}

func (t Type) parseNumber(s string) (uint64, error) {
	bits := 8 * t.Size()
	if t.Float() {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number for %s", s, t)
		}
		rounded := t.floatBits(v)
		if !math.IsInf(v, 0) && math.IsInf(t.floatValue(rounded), 0) {
			return 0, fmt.Errorf("%q is too large for %s", s, t)
		}
		return rounded, nil
	}
	base := 10
	if strings.Contains(s, "0x") {
		base = 0
	}
	if t.Signed() {
		if v, err := strconv.ParseInt(s, base, bits); err == nil {
			return uint64(v), nil
		}
	} else if v, err := strconv.ParseUint(s, base, bits); err == nil {
		return v, nil
	}
	// i32=1M is what counts look like; a number may be one.
	if n, err := ParseCount(s); err == nil && (bits == 64 || n>>(bits-1) == 0 || !t.Signed() && n>>bits == 0) {
		return uint64(n), nil
	}
	hint := ""
	if v, err := strconv.ParseFloat(s, 64); err == nil && v != math.Trunc(v) {
		hint = ": it takes whole numbers; f32 and f64 take others"
	}
	return 0, fmt.Errorf("%q is not a number for %s, or does not fit%s", s, t, hint)
}
