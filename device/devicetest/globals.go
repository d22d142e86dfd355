package devicetest

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/kilnjit/kiln/device"
)

// globals: kernels and the host mean the same variables, each loaded image of
// them other ones.
func globals(b *bench) {
	held := b.image("")
	if len(held.Variables) != 3 || held.Kernel != "" || held.Entry != "" {
		b.Fatalf("variables %+v", held.Variables)
	}
	place := func(name string) int {
		for i, v := range held.Variables {
			if v.Name == name {
				return i
			}
		}
		b.Fatalf("no variable %q", name)
		return -1
	}
	type instance struct {
		counter, totals, step device.Buffer
		count, read           device.Function
	}
	instances := make([]instance, 2)
	for i := range instances {
		variables := b.load(held)
		if variables.Function() != nil || variables.Bytes() <= 0 {
			b.Errorf("variables with a function, of %d bytes", variables.Bytes())
		}
		buffer := func(name string) device.Buffer {
			v, err := variables.Variable(place(name))
			b.check(err)
			return v
		}
		function := func(kernel string) device.Function {
			im := b.image(kernel)
			var addresses []uint64
			for _, g := range im.Globals {
				addresses = append(addresses, buffer(g.Name).Address())
			}
			if _, err := b.device.Load(context.Background(), im, append(addresses, 64)...); !errors.Is(err, device.ErrImage) {
				b.Errorf("one address too many: %v", err)
			}
			return b.load(im, addresses...).Function()
		}
		instances[i] = instance{buffer("counter"), buffer("totals"), buffer("step"), function("count"), function("read")}
		for _, i := range []int{-1, 3} {
			if v, err := variables.Variable(i); v != nil || !errors.Is(err, device.ErrArgument) {
				b.Errorf("variable %d: %v, %v", i, v, err)
			}
		}
	}
	a, other := instances[0], instances[1]
	if a.totals.Bytes() != 24 || a.totals.Address()%8 != 0 || a.counter.Bytes() != 4 {
		b.Errorf("%d bytes at %#x, and %d", a.totals.Bytes(), a.totals.Address(), a.counter.Bytes())
	}
	b.check(a.count.Launch(over(10, nil)))
	b.check(a.step.Write(0, bytesOf(100)))
	b.check(a.count.Launch(over(3, nil)))
	if got := b.words(a.counter, 1)[0]; got != 7+10+300 {
		b.Errorf("counter %d, want 317", got)
	}
	if got := b.words(a.totals, 6); !slices.Equal(got, []uint32{1, 0, 2 + 20 + 600, 0, 3, 0}) {
		b.Errorf("totals %v", got)
	}
	b.check(a.counter.Write(0, bytesOf(1234)))
	out := b.alloc(4)
	b.check(a.read.Launch(over(1, binary.LittleEndian.AppendUint64(nil, out.Address()))))
	if got := b.words(out, 1)[0]; got != 1234 {
		b.Errorf("a kernel reads %d, the host wrote 1234", got)
	}
	if got := b.words(other.counter, 1)[0]; got != 7 {
		b.Errorf("the other image's counter is %d, want 7", got)
	}
	if err := a.counter.Free(); !errors.Is(err, device.ErrArgument) {
		b.Errorf("freeing a variable: %v", err)
	}
}

// globalsInStreams: variables are memory like any other.
func globalsInStreams(b *bench) {
	ctx := context.Background()
	held, im := b.image(""), b.image("count")
	variables := b.load(held)
	var addresses []uint64
	var counter device.Buffer
	for _, g := range im.Globals {
		for i, v := range held.Variables {
			if v.Index == g.Index {
				buffer, err := variables.Variable(i)
				b.check(err)
				addresses = append(addresses, buffer.Address())
				if g.Name == "counter" {
					counter = buffer
				}
			}
		}
	}
	s, count, saved, out := b.stream(), b.load(im, addresses...).Function(), b.alloc(4), make([]byte, 4)
	b.check(s.Fill(ctx, counter, 0, 4, bytesOf(40)))
	b.check(s.Launch(ctx, count, over(2, nil), nil))
	b.check(s.Copy(ctx, saved, 0, counter, 0, 4))
	b.check(s.Write(ctx, counter, 0, bytesOf(0)))
	b.check(s.Launch(ctx, count, over(5, nil), nil))
	b.check(s.Read(ctx, out, counter, 0))
	b.synchronize(s)
	if got := b.words(saved, 1)[0]; got != 42 {
		b.Errorf("at first %d, want 42", got)
	}
	if got := wordsOf(out)[0]; got != 5 {
		b.Errorf("at last %d, want 5", got)
	}
}
