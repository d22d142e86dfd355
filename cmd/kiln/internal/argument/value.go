package argument

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/kilnjit/kiln/cmd/kiln/internal/npy"
)

// Bits returns a Scalar's value in the low bytes.
func (a *Argument) Bits() uint64 { return a.bits }

// Bytes returns a Buffer's size in bytes; it reads the head of a file where
// that alone knows.
func (a *Argument) Bytes() (int64, error) {
	if a.Count >= 0 {
		return int64(a.Count) * int64(a.Type.Size()), nil
	}
	data, err := a.readFile()
	return int64(len(data)), err
}

// FillBuffer writes the argument's content into data, whose length is that of
// [Argument.Bytes].
func (a *Argument) FillBuffer(data []byte) error {
	switch a.Fill {
	case File:
		content, err := a.readFile()
		if err != nil {
			return err
		}
		if len(content) != len(data) {
			return fmt.Errorf("%s holds %d bytes, %s is %d", a.Path, len(content), a.Text, len(data))
		}
		copy(data, content)
	case Value:
		if a.bits != 0 {
			parallel(len(data)/a.Type.Size(), func(first, last int) {
				for i := first; i < last; i++ {
					a.Type.put(data, i, a.bits)
				}
			})
		}
	case Random, Range:
		parallel(len(data)/a.Type.Size(), func(first, last int) { a.generate(data, first, last) })
	}
	return nil
}

func (a *Argument) readFile() ([]byte, error) {
	content, err := os.ReadFile(a.Path)
	if err != nil {
		return nil, err
	}
	if !npy.Is(content) {
		if len(content)%a.Type.Size() != 0 {
			return nil, fmt.Errorf("%s holds %d bytes, which is no whole number of %s", a.Path, len(content), a.Type)
		}
		return content, nil
	}
	array, err := npy.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Path, err)
	}
	if array.Type != a.Type.String() {
		return nil, fmt.Errorf("%s holds %s, the argument says %s", a.Path, array.Type, a.Type)
	}
	return bytes.Clone(array.Data), nil
}

// word is the generator: a hash of position and seed.
func word(i int, seed uint32) uint32 { return uint32(i)*2654435761 + seed*40503 + 12345 }

// generate fills elements first to last. A float is low + (high-low)*u in
// float64, then rounded, u the generator's upper 24 bits over 2^24; a whole
// number is the same rounded down; a Random integer is the upper bits.
func (a *Argument) generate(data []byte, first, last int) {
	low, high := a.Low, a.High
	if a.Fill == Random {
		low, high = 0, 1
		if !a.Type.Float() {
			shift := max(0, 32-8*a.Type.Size())
			for i := first; i < last; i++ {
				a.Type.put(data, i, uint64(word(i, a.Seed)>>shift))
			}
			return
		}
	}
	for i := first; i < last; i++ {
		v := low + float64((high-low)*(float64(word(i, a.Seed)>>8)/(1<<24))) // the conversion forbids a fused multiply-add
		if a.Type.Float() {
			a.Type.put(data, i, a.Type.floatBits(v))
		} else {
			a.Type.put(data, i, floor(v))
		}
	}
}

// floor returns v rounded down, as the bits of a 64-bit integer.
func floor(v float64) uint64 {
	if v >= 1<<63 {
		return uint64(v)
	}
	n := int64(v)
	if float64(n) > v {
		n--
	}
	return uint64(n)
}

// parallel runs work over 0 to n in as many pieces as there are processors.
func parallel(n int, work func(first, last int)) {
	pieces := runtime.GOMAXPROCS(0)
	if n < 1<<16 {
		pieces = 1
	}
	var group sync.WaitGroup
	for p := 1; p < pieces; p++ {
		group.Go(func() { work(n*p/pieces, n*(p+1)/pieces) })
	}
	work(0, n/pieces)
	group.Wait()
}
