package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kilnjit/kiln/target"
)

// The parameters of the two kernels in every image: offset and size.
var (
	saxpyParams   = [][2]uint32{{0, 8}, {8, 8}, {16, 4}, {20, 4}}
	reverseParams = [][2]uint32{{0, 8}, {8, 24}, {32, 1}, {34, 2}}
)

// Whatever compiled them and for whatever device, the two kernels take the same
// parameters, and reverse 256 bytes of shared memory.
func TestKernelsAgreeAcrossImages(t *testing.T) {
	names := slices.Concat(imageNames(t, "amdgpu/*"), imageNames(t, "nvidia/sm_*"), imageNames(t, "nvidia/kernels*.ptx"))
	if len(names) < 19 {
		t.Fatalf("only %d images", len(names))
	}
	for _, name := range names {
		f := mustOpen(t, imageFile(t, name))
		kernels, err := f.Kernels()
		if err != nil || len(kernels) != 2 {
			t.Errorf("%s: %d kernels, %v", name, len(kernels), err)
			continue
		}
		slices.SortFunc(kernels, func(a, b KernelCode) int { return strings.Compare(b.Name, a.Name) })
		for i, want := range [][][2]uint32{saxpyParams, reverseParams} {
			k := &kernels[i]
			var got [][2]uint32
			for _, p := range k.Params {
				if !p.Hidden {
					got = append(got, [2]uint32{p.Offset, p.Size})
				}
			}
			if k.Name != []string{"saxpy", "reverse"}[i] || !slices.Equal(got, want) {
				t.Errorf("%s: %s takes %v; want %v", name, k.Name, got, want)
			}
			if last := want[3]; k.ParamBytes < last[0]+last[1] {
				t.Errorf("%s: %s has %d bytes of parameters", name, k.Name, k.ParamBytes)
			}
		}
		wave := uint32(32)
		if strings.HasPrefix(name, "amdgpu/gfx9") {
			wave = 64
		}
		if kernels[0].Wavefront != wave || kernels[0].MaxBlock != 128 {
			t.Errorf("%s: waves of %d, blocks of %d", name, kernels[0].Wavefront, kernels[0].MaxBlock)
		}
		if f.Kind == PTXText {
			continue
		}
		// From sm_90 on the system has 1 KiB of each kernel's shared memory.
		shared := uint32(256)
		if number, _ := strconv.Atoi(strings.Trim(f.Target.Processor, "sm_af")); number >= 90 {
			shared += 1024
		}
		if kernels[1].SharedBytes != shared || kernels[0].SharedBytes != 0 || kernels[0].Registers == 0 {
			t.Errorf("%s: %d and %d bytes shared, %d registers", name, kernels[0].SharedBytes, kernels[1].SharedBytes, kernels[0].Registers)
		}
	}
}

// The names of the files say what they were compiled for.
func TestTargetsOfMachineCode(t *testing.T) {
	for _, name := range slices.Concat(imageNames(t, "amdgpu/*"), imageNames(t, "nvidia/*.cubin")) {
		f := mustOpen(t, imageFile(t, name))
		id, _, _ := strings.Cut(filepath.Base(name), ".")
		if other := map[string]string{"big": "sm_90", "carrier": "sm_90", "callee": "sm_80"}[id]; other != "" {
			id = other
		}
		if f.Kind == AMDGPUObject {
			id = strings.ReplaceAll(id, "_", ":")
		}
		want, err := target.Parse(id)
		if strings.Contains(id, "generic") {
			want, err = target.Parse("amdgcn-amd-amdhsa/" + id)
		}
		if err != nil || f.Target != want {
			t.Errorf("%s is for %v; want %v, %v", name, f.Target, want, err)
		}
		if f.Kind == AMDGPUObject && !strings.Contains(name, ".v"+f.Version+".") {
			t.Errorf("%s has code object version %s", name, f.Version)
		}
	}
}

// LLVM's own reader finds the same metadata.
func TestAMDMetadataAgreesWithReadelf(t *testing.T) {
	number := func(text, field string) (values []uint32) {
		for _, m := range regexp.MustCompile(`(?m)^\s+`+regexp.QuoteMeta(field)+`:\s+(\d+)$`).FindAllStringSubmatch(text, -1) {
			n, err := strconv.ParseUint(m[1], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, uint32(n))
		}
		return values
	}
	for _, name := range imageNames(t, "amdgpu/*") {
		kernels, err := mustOpen(t, imageFile(t, name)).Kernels()
		if err != nil {
			t.Fatal(err)
		}
		// The first field of an element stands behind the dash of its list.
		text := strings.ReplaceAll(tool(t, "llvm-readelf-22", "--notes", filepath.Join(imageFolder, name)), "- .", "  .")
		fields := map[string]func(KernelCode) uint32{
			".vgpr_count":                 func(k KernelCode) uint32 { return k.Registers },
			".sgpr_count":                 func(k KernelCode) uint32 { return k.Scalars },
			".kernarg_segment_size":       func(k KernelCode) uint32 { return k.ParamBytes },
			".group_segment_fixed_size":   func(k KernelCode) uint32 { return k.SharedBytes },
			".private_segment_fixed_size": func(k KernelCode) uint32 { return k.PrivateBytes },
			".max_flat_workgroup_size":    func(k KernelCode) uint32 { return k.MaxBlock },
			".wavefront_size":             func(k KernelCode) uint32 { return k.Wavefront },
		}
		for field, of := range fields {
			var got []uint32
			for _, k := range kernels {
				got = append(got, of(k))
			}
			if want := number(text, field); !slices.Equal(got, want) {
				t.Errorf("%s: %s %v; readelf has %v", name, field, got, want)
			}
		}
		var offsets, sizes []uint32
		for _, k := range kernels {
			for _, p := range k.Params {
				offsets, sizes = append(offsets, p.Offset), append(sizes, p.Size)
			}
		}
		if want := number(text, ".offset"); !slices.Equal(offsets, want) {
			t.Errorf("%s: offsets %v; readelf has %v", name, offsets, want)
		}
		if want := number(text, ".size"); !slices.Equal(sizes, want) {
			t.Errorf("%s: sizes %v; readelf has %v", name, sizes, want)
		}
	}
}

// LLVM names every processor by the number that kiln has for it.
func TestAMDMachineNumbers(t *testing.T) {
	b := imageFile(t, "amdgpu/gfx900.v4.clang22.co")
	args := []string{"-h"}
	var want []string
	for number := uint32(0x20); number < 0x60; number++ {
		name := amdMachine(number)
		// LLVM dropped these two in version 21.
		if name == "" || name == "gfx940" || name == "gfx941" {
			continue
		}
		binary.LittleEndian.PutUint32(b[48:], number)
		args = append(args, writeTemp(t, fmt.Sprintf("%x.co", number), b))
		want = append(want, name)
	}
	var got []string
	for _, m := range regexp.MustCompile(`Flags:\s+0x[0-9A-Fa-f]+, (gfx[0-9a-z-]+)`).FindAllStringSubmatch(tool(t, "llvm-readelf-22", args...), -1) {
		got = append(got, m[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-kiln +readelf):\n%s", diff)
	}
	for _, number := range []uint32{0, 0x1F, 0x60, 0xFF} {
		if name := amdMachine(number); name != "" {
			t.Errorf("%#x is %s", number, name)
		}
	}
}

// Before code object 4 a bit said that a setting is on.
func TestOldAMDSettings(t *testing.T) {
	b := imageFile(t, "amdgpu/gfx900.v4.clang22.co")
	for _, tc := range []struct {
		abi   byte
		flags uint32
		want  string
	}{
		{1, 0x03F, ""}, {1, 0x13F, "+xnack"}, {1, 0x33F, "+sramecc,+xnack"},
		{2, 0x03F, ""}, {2, 0x53F, ""}, {2, 0xB3F, "+xnack,-sramecc"}, {4, 0xE3F, "+sramecc,-xnack"},
	} {
		b[8] = tc.abi
		binary.LittleEndian.PutUint32(b[48:], tc.flags)
		want, err := target.MergeFeatures(tc.want)
		if err != nil {
			t.Fatal(err)
		}
		f := mustOpen(t, b)
		if f.Target.Processor != "gfx90a" || f.Target.Features != want || f.Version != strconv.Itoa(int(tc.abi)+2) {
			t.Errorf("version %d, flags %#x: %v, version %s; want %s", tc.abi, tc.flags, f.Target, f.Version, want)
		}
	}
}

func TestWideParametersOfCubins(t *testing.T) {
	kernels, err := mustOpen(t, imageFile(t, "nvidia/big.ptxas13.0.cubin")).Kernels()
	want := []KernelCode{{
		Name: "big", Symbol: "big", ParamBytes: 6012, Registers: 8, Wavefront: 32,
		Params: []CodeParam{{Size: 8}, {Offset: 8, Size: 6000}, {Offset: 6008, Size: 4}},
	}}
	if diff := cmp.Diff(want, kernels); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A function with code of its own is no kernel.
func TestFunctionsOfCubinsAreNoKernels(t *testing.T) {
	kernels, err := mustOpen(t, imageFile(t, "nvidia/callee.nvcc13.0.cubin")).Kernels()
	if err != nil || len(kernels) != 1 || kernels[0].Name != "outer" || len(kernels[0].Params) != 1 || kernels[0].Registers == 0 {
		t.Errorf("%+v, %v", kernels, err)
	}
}

func TestPTX(t *testing.T) {
	const text = `
// a comment with .entry x(
/* and
.entry y( */
.version 8.3
.target sm_90a, debug
.address_size 64
.file 1 "a { file.cu"
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.weak .entry declared(.param .u64 a);
.visible .entry one(
	.param .align 16 .b8 s[20],
	.param .u64 .ptr .global .align 4 p,
	.param .v4 .f32 q[4], .param .b8 last
)
.reqntid 16, 4
.minnctapersm 2
{
	.reg .b32 %r<2>;
	{ .reg .b32 %inner; }
	ret;
}
.func helper() { ret; }
.entry two
.maxntid 8,4,2
{ ret; }
`
	f := mustOpen(t, []byte(text))
	if f.Version != "8.3" || f.Target.String() != "nvptx64-nvidia-cuda/sm_90a" {
		t.Errorf("version %q, target %v", f.Version, f.Target)
	}
	kernels, err := f.Kernels()
	want := []KernelCode{
		{
			Name: "one", Symbol: "one", ParamBytes: 49, Wavefront: 32, MaxBlock: 64, ReqdBlock: [3]uint32{16, 4, 1},
			Params: []CodeParam{
				{Name: "s", Kind: ".b8", Size: 20}, {Name: "p", Kind: ".u64", Offset: 24, Size: 8},
				{Name: "q", Kind: ".f32", Offset: 32, Size: 16}, {Name: "last", Kind: ".b8", Offset: 48, Size: 1},
			},
		},
		{Name: "two", Symbol: "two", Wavefront: 32, MaxBlock: 64},
	}
	if diff := cmp.Diff(want, kernels); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const head = ".version 8.3\n.target sm_80\n"
	for _, bad := range []string{
		".entry k(.param .u64", ".entry k(.param .weird x) {", ".entry k(.param .align 3 .b8 x[2]) {", ".entry k(.param .b8 x[99999999]) {",
		".entry k(.param .b8 x[2 {", ".entry k() .maxntid x {", ".entry", ".entry k(.param .b8 a[999999], .param .b8 b[999999]) {",
	} {
		kernels, err := mustOpen(t, []byte(head+bad)).Kernels()
		if kernels != nil || !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, %v; want ErrFormat", bad, kernels, err)
		}
	}
}

func TestMessagePack(t *testing.T) {
	for _, tc := range []struct {
		in     string
		shape  int
		number uint64
		text   string
	}{
		{"\x7f", packInteger, 127, ""}, {"\xff", packInteger, 1<<64 - 1, ""}, {"\xc3", packInteger, 1, ""}, {"\xc0", packOther, 0, ""},
		{"\xcc\xff", packInteger, 255, ""}, {"\xcd\x01\x02", packInteger, 258, ""}, {"\xce\x00\x01\x00\x00", packInteger, 65536, ""},
		{"\xcf\x00\x00\x00\x01\x00\x00\x00\x00", packInteger, 1 << 32, ""}, {"\xd0\x80", packInteger, 1<<64 - 128, ""}, {"\xd1\xff\xfe", packInteger, 1<<64 - 2, ""},
		{"\xa2hi", packText, 0, "hi"}, {"\xd9\x02hi", packText, 0, "hi"}, {"\xda\x00\x02hi", packText, 0, "hi"}, {"\xdb\x00\x00\x00\x02hi", packText, 0, "hi"},
		{"\x93\x01\x02\x03", packList, 3, ""}, {"\xdc\x00\x01\x05", packList, 1, ""}, {"\x81\xa1a\x01", packMap, 1, ""}, {"\xde\x00\x01\xa1a\x01", packMap, 1, ""},
		{"\xca\x00\x00\x00\x00", packOther, 0, ""}, {"\xcb\x00\x00\x00\x00\x00\x00\x00\x00", packOther, 0, ""}, {"\xc4\x01x", packOther, 0, ""},
	} {
		r := packReader{[]byte(tc.in)}
		v, err := r.next()
		if err != nil || v.shape != tc.shape || v.number != tc.number || string(v.text) != tc.text {
			t.Errorf("% x: %+v, %v", tc.in, v, err)
			continue
		}
		if err := r.skip(v, 0); err != nil || len(r.b) != 0 {
			t.Errorf("% x: %v with %d bytes left", tc.in, err, len(r.b))
		}
	}
	for _, bad := range []string{"", "\xc1", "\xa2h", "\xcd\x01", "\xd9\x05hi", "\x92\x01", "\xdd\xff\xff\xff\xff", strings.Repeat("\x91", 40) + "\x01"} {
		r := packReader{[]byte(bad)}
		v, err := r.next()
		if err == nil {
			err = r.skip(v, 0)
		}
		if err == nil {
			t.Errorf("% x is taken", bad)
		}
	}
}
