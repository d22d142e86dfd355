package device_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

var limits = device.Limits{
	MaxGrid:        device.Dim{X: math.MaxInt32, Y: math.MaxInt32, Z: math.MaxInt32},
	MaxBlock:       device.Dim{X: 1024, Y: 1024, Z: 64},
	MaxBlockItems:  1024,
	MaxSharedBytes: 48 << 10,
	MaxParamBytes:  4096,
}

func TestCheck(t *testing.T) {
	free := device.Facts{Kernel: "k", Convention: image.Grid, ParamBytes: 8}
	with := func(change func(*device.Facts)) device.Facts {
		f := free
		change(&f)
		return f
	}
	params := make([]byte, 8)
	dim := func(x, y, z uint32) device.Dim { return device.Dim{X: x, Y: y, Z: z} }
	minusOne := int32(-1)
	tests := []struct {
		name   string
		facts  device.Facts
		launch device.Launch
		work   bool
		want   *device.LaunchError
		text   string
	}{
		{name: "plain", facts: free, launch: device.Launch{Grid: dim(4, 5, 6), Block: dim(8, 8, 16), Params: params}, work: true},
		{name: "at every limit", facts: free, launch: device.Launch{
			Grid: dim(math.MaxInt32, 1, 1), Block: dim(1024, 1, 1), SharedBytes: 48 << 10, Params: params}, work: true},
		{name: "no groups", facts: free, launch: device.Launch{Grid: dim(0, 1, 1), Block: dim(8, 1, 1), Params: params}},
		{name: "no groups in z", facts: free, launch: device.Launch{Grid: dim(7, 1, 0), Block: dim(8, 1, 1), Params: params}},
		{name: "no items, block fixed", facts: with(func(f *device.Facts) { f.Block = [3]uint32{64, 1, 1} }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(0, 1, 1)}},
		{name: "negative grid", facts: free, launch: device.Launch{Grid: dim(1, uint32(minusOne), 1), Block: dim(1, 1, 1), Params: params},
			want: &device.LaunchError{Kernel: "k", What: "grid.y", Value: math.MaxUint32, Limit: math.MaxInt32, Reason: "the device's limit"},
			text: `launching kernel "k": grid.y 4294967295 (-1 as a signed number) is over 2147483647 (the device's limit)`},
		{name: "over limit beats no work", facts: free, launch: device.Launch{Grid: dim(0, 1, 1), Block: dim(1, 1, 65), Params: params},
			want: &device.LaunchError{Kernel: "k", What: "block.z", Value: 65, Limit: 64, Reason: "the device's limit"}},
		{name: "block product", facts: free, launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(33, 32, 1), Params: params},
			want: &device.LaunchError{Kernel: "k", What: "work-items of a block", Value: 1056, Limit: 1024, Reason: "the device's limit"}},
		{name: "too many groups", facts: free, launch: device.Launch{Grid: dim(math.MaxInt32, math.MaxInt32, 2), Block: dim(1, 1, 1), Params: params},
			want: &device.LaunchError{Kernel: "k", What: "number of groups", Value: math.MaxInt32 * math.MaxInt32 * 2, Limit: 1 << 62, Reason: "the device's limit"}},
		{name: "overflowing groups", facts: free, launch: device.Launch{Grid: dim(math.MaxInt32, math.MaxInt32, math.MaxInt32), Block: dim(1, 1, 1), Params: params},
			want: &device.LaunchError{Kernel: "k", What: "number of groups", Value: math.MaxUint64, Limit: 1 << 62, Reason: "the device's limit"},
			text: `launching kernel "k": number of groups (more than 64 bits) is over 4611686018427387904 (the device's limit)`},
		{name: "launch bounds", facts: with(func(f *device.Facts) { f.MaxBlock = 128 }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(129, 1, 1), Params: params},
			want:   &device.LaunchError{Kernel: "k", What: "work-items of a block", Value: 129, Limit: 128, Reason: "the kernel's own limit"}},
		{name: "fixed block", facts: with(func(f *device.Facts) { f.Block = [3]uint32{8, 8, 1} }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(8, 4, 1), Params: params},
			want:   &device.LaunchError{Kernel: "k", What: "block.y", Value: 4, Limit: 8, Exact: true, Reason: "what the kernel is compiled for"},
			text:   `launching kernel "k": block.y 4 is not 8 (what the kernel is compiled for)`},
		{name: "fixed block met", facts: with(func(f *device.Facts) { f.Block = [3]uint32{8, 8, 1} }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(8, 8, 1), Params: params}, work: true},
		{name: "fixed grid", facts: with(func(f *device.Facts) { f.Grid = [3]uint32{2, 1, 1} }),
			launch: device.Launch{Grid: dim(3, 1, 1), Block: dim(8, 8, 1), Params: params},
			want:   &device.LaunchError{Kernel: "k", What: "grid.x", Value: 3, Limit: 2, Exact: true, Reason: "what the kernel is compiled for"}},
		{name: "shared memory, static and dynamic", facts: with(func(f *device.Facts) { f.SharedBytes = 1 }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(1, 1, 1), SharedBytes: 48 << 10, Params: params},
			want:   &device.LaunchError{Kernel: "k", What: "shared memory of a group", Value: 48<<10 + 1, Limit: 48 << 10, Reason: "the device's limit"}},
		{name: "shared memory wraps", facts: with(func(f *device.Facts) { f.SharedBytes = 2 }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(1, 1, 1), SharedBytes: math.MaxUint32, Params: params},
			want:   &device.LaunchError{Kernel: "k", What: "shared memory of a group", Value: 1<<32 + 1, Limit: 48 << 10, Reason: "the device's limit"}},
		{name: "parameters missing", facts: free, launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(1, 1, 1)},
			want: &device.LaunchError{Kernel: "k", What: "length of the parameter block", Value: 0, Limit: 8, Exact: true, Reason: "the kernel's parameters"}},
		{name: "parameters over the device's limit", facts: with(func(f *device.Facts) { f.ParamBytes = 4097 }),
			launch: device.Launch{Grid: dim(1, 1, 1), Block: dim(1, 1, 1), Params: make([]byte, 4097)},
			want:   &device.LaunchError{Kernel: "k", What: "length of the parameter block", Value: 4097, Limit: 4096, Reason: "the device's limit"}},
		{name: "host function without extents", facts: with(func(f *device.Facts) { f.Convention = image.Host }),
			launch: device.Launch{Params: params}, work: true},
		{name: "host function in a grid", facts: with(func(f *device.Facts) { f.Convention = image.Host }),
			launch: device.Launch{Grid: dim(2, 1, 1), Block: dim(1, 1, 1), Params: params},
			want:   &device.LaunchError{Kernel: "k", What: "grid.x", Value: 2, Limit: 1, Reason: "a host function runs once"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			work, err := device.Check(&limits, &tt.facts, &tt.launch)
			if work != tt.work {
				t.Errorf("work = %v, want %v", work, tt.work)
			}
			var got *device.LaunchError
			if errors.As(err, &got) != (tt.want != nil) || errors.Is(err, device.ErrLaunch) != (tt.want != nil) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("error differs (-want +got):\n%s", diff)
			}
			if tt.text != "" && err.Error() != tt.text {
				t.Errorf("text %q, want %q", err, tt.text)
			}
		})
	}
}

func TestFactsOf(t *testing.T) {
	kernel := &image.Kernel{Name: "k", Convention: image.Grid, ParamBytes: 24, ReqdBlock: [3]uint32{32, 1, 1}, MaxBlock: 256, SharedBytes: 64}
	im := &image.Image{Kernel: "k", Convention: image.Grid, ParamBytes: 24, Grid: [3]uint32{4, 1, 1}, MaxBlock: 512}
	want := device.Facts{Kernel: "k", Convention: image.Grid, ParamBytes: 24, Block: [3]uint32{32, 1, 1}, Grid: [3]uint32{4, 1, 1}, MaxBlock: 256, SharedBytes: 64}
	if diff := cmp.Diff(want, device.FactsOf(kernel, im)); diff != "" {
		t.Errorf("kernel and image (-want +got):\n%s", diff)
	}
	im.Block, im.MaxBlock = [3]uint32{64, 1, 1}, 128
	want.Block, want.MaxBlock = im.Block, 128
	if diff := cmp.Diff(want, device.FactsOf(kernel, im)); diff != "" {
		t.Errorf("stricter image (-want +got):\n%s", diff)
	}
	want = device.Facts{Kernel: "k", Convention: image.Grid, ParamBytes: 24, Block: im.Block, Grid: im.Grid, MaxBlock: 128}
	if diff := cmp.Diff(want, device.FactsOf(nil, im)); diff != "" {
		t.Errorf("image alone (-want +got):\n%s", diff)
	}
}

func TestErrorTexts(t *testing.T) {
	tests := []struct {
		err      error
		sentinel error
		want     string
	}{
		{&device.FaultError{Kernel: "k", Signal: 11, Address: 0x10, Offset: 7}, device.ErrFault,
			`kernel "k": SIGSEGV (invalid memory access) at address 0x10, instruction at entry + 0x7`},
		{&device.FaultError{Kernel: "k", Signal: 11, Address: 0x7000, Offset: -3, StackOverflow: true}, device.ErrFault,
			`kernel "k": stack overflow, SIGSEGV (invalid memory access) at address 0x7000, instruction at entry - 0x3`},
		{&device.FaultError{Kernel: "k", Signal: 8, Offset: 2}, device.ErrFault,
			`kernel "k": SIGFPE (integer division by zero or overflow), instruction at entry + 0x2`},
		{&device.FaultError{Kernel: "k", Signal: 4, Offset: 2}, device.ErrFault,
			`kernel "k": SIGILL (a trap, or an instruction this processor lacks), instruction at entry + 0x2`},
		{&device.FaultError{Kernel: "k", Signal: 4, Offset: 0x52, Function: "inner", FunctionOffset: 0x12}, device.ErrFault,
			`kernel "k": SIGILL (a trap, or an instruction this processor lacks), instruction at entry + 0x52 (inner + 0x12)`},
		{&device.ExceptionError{Kernel: "k", Type: "St13runtime_error", Text: "boom 9"}, device.ErrException,
			`kernel "k": uncaught C++ exception of type St13runtime_error: boom 9`},
		{&device.StatusError{Kernel: "k", Code: 3}, device.ErrStatus, `kernel "k" stopped: code 3`},
		{&device.StatusError{Kernel: "k", Code: 1}, device.ErrStatus, `kernel "k" stopped: work-items of a group wait for each other forever: a barrier or warp operation that only some of them reach`},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("text\n %s\nwant\n %s", got, tt.want)
		}
		if !errors.Is(tt.err, tt.sentinel) || errors.Is(tt.err, device.ErrLaunch) {
			t.Errorf("%T matches the wrong sentinel", tt.err)
		}
		if strings.Contains(tt.err.Error(), "failed") {
			t.Errorf("%q says failed", tt.err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	facts := device.Facts{Kernel: "k", Convention: image.Grid, ParamBytes: 8, Block: [3]uint32{64, 1, 1}, MaxBlock: 256}
	l := &device.Launch{Grid: device.Dim{X: 4, Y: 1, Z: 1}, Block: device.Dim{X: 64, Y: 1, Z: 1}, Params: make([]byte, 8)}
	b.ReportAllocs()
	for b.Loop() {
		if work, err := device.Check(&limits, &facts, l); !work || err != nil {
			b.Fatal(err)
		}
	}
}
