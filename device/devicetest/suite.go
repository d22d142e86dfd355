// Package devicetest holds what every device must do, as tests.
package devicetest

import (
	"context"
	_ "embed"
	"encoding/binary"
	"testing"
	"time"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

// Module is the bitcode of the suite's kernels, for NVPTX.
//
//go:embed kernels.bc
var Module []byte

// Suite tests a kind of device.
type Suite struct {
	// Open returns a new device, which the suite closes.
	Open func(t *testing.T) device.Device
	// Image returns a kernel of Module compiled for such a device, or for "" the
	// module's variables. It may return the same image again.
	Image func(t *testing.T, kernel string) *image.Image
}

// Run runs all of it, each test on a device of its own.
func (s *Suite) Run(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(*bench)
	}{
		{"Properties", properties},
		{"Launch", launches},
		{"LoadTwice", loadTwice},
		{"RefusesImages", refusesImages},
		{"ConcurrentLaunches", concurrentLaunches},
		{"Limits", limits},
		{"Memory", memory},
		{"MemoryRanges", memoryRanges},
		{"FreedMemory", freedMemory},
		{"HostView", hostView},
		{"StreamOrder", streamOrder},
		{"StreamCopies", streamCopies},
		{"StreamsAreIndependent", streamsAreIndependent},
		{"WaitsAcrossStreams", waitsAcrossStreams},
		{"EventRules", eventRules},
		{"ElapsedTime", elapsedTime},
		{"Synchronize", synchronize},
		{"ConcurrentStreams", concurrentStreams},
		{"CancelQueued", cancelQueued},
		{"CancelRunning", cancelRunning},
		{"StreamErrors", streamErrors},
		{"ErrorsCrossStreams", errorsCrossStreams},
		{"ForeignObjects", foreignObjects},
		{"Globals", globals},
		{"GlobalsInStreams", globalsInStreams},
		{"Close", closes},
		{"CloseUnderStreams", closeUnderStreams},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := s.Open(t)
			b := &bench{T: t, suite: s, device: d}
			test.run(b)
			if err := d.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// bench is a device under test.
type bench struct {
	*testing.T
	suite  *Suite
	device device.Device
}

// limit is how long a test waits for what must come soon.
const limit = time.Minute

func (b *bench) check(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) image(kernel string) *image.Image {
	b.Helper()
	return b.suite.Image(b.T, kernel)
}

func (b *bench) load(im *image.Image, globals ...uint64) device.Library {
	b.Helper()
	lib, err := b.device.Load(context.Background(), im, globals...)
	b.check(err)
	return lib
}

func (b *bench) function(kernel string) device.Function {
	b.Helper()
	return b.load(b.image(kernel)).Function()
}

func (b *bench) alloc(bytes uint64) device.Buffer {
	b.Helper()
	buffer, err := b.device.Alloc(bytes)
	b.check(err)
	return buffer
}

func (b *bench) stream() device.Stream {
	b.Helper()
	s, err := b.device.Stream()
	b.check(err)
	return s
}

func (b *bench) event() device.Event {
	b.Helper()
	e, err := b.device.Event()
	b.check(err)
	return e
}

func (b *bench) synchronize(s device.Stream) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	b.check(s.Synchronize(ctx))
}

// words reads n numbers of 32 bits.
func (b *bench) words(buffer device.Buffer, n int) []uint32 {
	b.Helper()
	bytes := make([]byte, 4*n)
	b.check(buffer.Read(bytes, 0))
	return wordsOf(bytes)
}

func wordsOf(bytes []byte) []uint32 {
	words := make([]uint32, len(bytes)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return words
}

func bytesOf(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// parameters lays out a pointer and a number of 32 bits.
func parameters(p device.Buffer, v uint32) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, p.Address()), uint64(v))
}

// over is a launch of n groups of one work-item.
func over(n uint32, params []byte) *device.Launch {
	return &device.Launch{Grid: device.Dim{X: n, Y: 1, Z: 1}, Block: device.Dim{X: 1, Y: 1, Z: 1}, Params: params}
}

// hold keeps a stream busy until the function it returns is called.
func (b *bench) hold(s device.Stream) (release func()) {
	b.Helper()
	flag := b.alloc(4)
	params := binary.LittleEndian.AppendUint64(nil, flag.Address())
	b.check(s.Launch(context.Background(), b.function("wait"), over(1, params), nil))
	return func() { b.check(flag.Write(0, bytesOf(1))) }
}

// spins is a launch of spin over n groups that take about 1 ms each on a
// processor of today.
func spins(done device.Buffer, n uint32) *device.Launch {
	const millisecond = 400_000
	params := binary.LittleEndian.AppendUint64(nil, done.Address())
	return over(n, binary.LittleEndian.AppendUint64(params, millisecond))
}
