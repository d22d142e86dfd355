package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bundleIDs are the entries of the committed bundles.
var bundleIDs = []string{"host-x86_64-unknown-linux-gnu-", "hipv4-amdgcn-amd-amdhsa--gfx900:xnack-", "hipv4-amdgcn-amd-amdhsa--gfx1100"}

func bundleEntries(t testing.TB) []BundleEntry {
	return []BundleEntry{
		{ID: bundleIDs[0]},
		{ID: bundleIDs[1], Data: imageFile(t, "amdgpu/gfx900.v4.clang22.co")},
		{ID: bundleIDs[2], Data: imageFile(t, "amdgpu/gfx1100.v5.clang22.co")},
	}
}

// tool runs a command that has to be installed.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// optionalTool is tool for packages that building and testing kiln does not ask for.
func optionalTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed; the comparison with files it wrote stands in for it", name)
	}
}

func writeTemp(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Bundles are what clang-offload-bundler writes, to the byte.
func TestBundleEqualsTheBundlers(t *testing.T) {
	got, err := EncodeBundle(bundleEntries(t), 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bundle/plain.bundler16.hipfb", "bundle/plain.bundler22.hipfb"} {
		if want := imageFile(t, name); !bytes.Equal(got, want) {
			t.Errorf("%s: it has %d bytes, ours %d, or they differ", name, len(want), len(got))
		}
	}
}

func TestBundleRoundTrip(t *testing.T) {
	entries := bundleEntries(t)
	for _, align := range []uint32{0, 1, 8, 4096} {
		plain, err := EncodeBundle(entries, align)
		if err != nil {
			t.Fatal(err)
		}
		checkBundle(t, plain, max(align, 1), entries)
		if n, err := bundleExtent(append(bytes.Clone(plain), 0, 0, 0)); err != nil || n != uint64(len(plain)) {
			t.Errorf("alignment %d: extent %d, %v; want %d", align, n, err, len(plain))
		}
		for version := 1; version <= 3; version++ {
			for _, packing := range []Packing{Zlib, Zstd} {
				packed, err := EncodeCompressedBundle(plain, version, packing)
				if err != nil {
					t.Fatal(err)
				}
				f := mustOpen(t, packed)
				if f.Kind != CompressedBundle || f.Version != string(rune('0'+version)) || len(f.Parts) != 1 || f.Parts[0].Packing != packing {
					t.Fatalf("%s %s: %+v", f.Kind, f.Version, f.Parts)
				}
				inner, err := f.Parts[0].Data()
				if err != nil || !bytes.Equal(inner, plain) {
					t.Fatalf("version %d, %s: %d bytes, %v; want %d", version, packing, len(inner), err, len(plain))
				}
			}
		}
	}
	empty, err := EncodeBundle(nil, 0)
	if err != nil || len(empty) != len(magicBundle)+8 || len(mustOpen(t, empty).Parts) != 0 {
		t.Errorf("a bundle of nothing: %q, %v", empty, err)
	}
}

func checkBundle(t *testing.T, b []byte, align uint32, entries []BundleEntry) {
	t.Helper()
	f := mustOpen(t, b)
	if f.Kind != Bundle || len(f.Parts) != len(entries) {
		t.Fatalf("%s of %d parts; want %d", f.Kind, len(f.Parts), len(entries))
	}
	for i, e := range entries {
		p := &f.Parts[i]
		data, err := p.Data()
		if err != nil || p.Label != e.ID || !bytes.Equal(data, e.Data) || p.Offset%uint64(align) != 0 {
			t.Errorf("part %d: %q of %d bytes at %d, %v", i, p.Label, len(data), p.Offset, err)
		}
	}
}

func TestBundlersAcceptOurs(t *testing.T) {
	entries := bundleEntries(t)
	plain, err := EncodeBundle(entries, 0)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][]byte{"plain": plain}
	for name, version := range map[string]int{"second": 2, "third": 3} {
		if forms[name], err = EncodeCompressedBundle(plain, version, Zstd); err != nil {
			t.Fatal(err)
		}
	}
	if forms["first"], err = EncodeCompressedBundle(plain, 1, Zlib); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ bundler, form string }{
		{"clang-offload-bundler-16", "plain"},
		{"clang-offload-bundler-19", "plain"}, {"clang-offload-bundler-19", "first"}, {"clang-offload-bundler-19", "second"},
		{"clang-offload-bundler-22", "plain"}, {"clang-offload-bundler-22", "first"}, {"clang-offload-bundler-22", "second"}, {"clang-offload-bundler-22", "third"},
	} {
		t.Run(tc.bundler+" "+tc.form, func(t *testing.T) {
			optionalTool(t, tc.bundler)
			in := writeTemp(t, "in.hipfb", forms[tc.form])
			for _, e := range entries[1:] {
				out := filepath.Join(t.TempDir(), "out.co")
				tool(t, tc.bundler, "-unbundle", "-type=o", "-targets="+e.ID, "-input="+in, "-output="+out)
				if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, e.Data) {
					t.Errorf("%s: %d bytes, %v; want %d", e.ID, len(got), err, len(e.Data))
				}
			}
		})
	}
}

func offloadImages(t testing.TB) []OffloadImage {
	return []OffloadImage{
		{Triple: "amdgcn-amd-amdhsa", Arch: "gfx900:xnack-", Model: "hip", Data: imageFile(t, "amdgpu/gfx900.v4.clang22.co")},
		{Triple: "nvptx64-nvidia-cuda", Arch: "sm_80", Model: "cuda", Data: imageFile(t, "nvidia/sm_80.ptxas13.0.cubin")},
		{
			Triple: "amdgcn-amd-amdhsa", Arch: "gfx90a", Model: "openmp", Data: imageFile(t, "bitcode/rdc.clang22.bc"),
			Properties: map[string]string{"feature": "none"},
		},
	}
}

// What is written is what the packager writes, but for the order of the strings.
func TestOffloadBinaryRoundTrip(t *testing.T) {
	images := offloadImages(t)
	b, err := EncodeOffloadBinary(images)
	if err != nil {
		t.Fatal(err)
	}
	ours := mustOpen(t, b)
	theirs := mustOpen(t, imageFile(t, "offload/packager22.bin"))
	if len(ours.Parts) != 3 || len(theirs.Parts) != 3 || ours.Version != "1" {
		t.Fatalf("%d and %d parts, version %q", len(ours.Parts), len(theirs.Parts), ours.Version)
	}
	for i := range images {
		p, q := &ours.Parts[i], &theirs.Parts[i]
		data, err := p.Data()
		if err != nil || !bytes.Equal(data, images[i].Data) {
			t.Errorf("image %d: %d bytes, %v; want %d", i, len(data), err, len(images[i].Data))
		}
		if p.Kind != q.Kind || p.Label != q.Label || p.Model != q.Model || p.Target != q.Target || !cmp.Equal(p.Properties, q.Properties) {
			t.Errorf("image %d: %+v; the packager has %+v", i, *p, *q)
		}
		if p.Offset%offloadAlign != 0 {
			t.Errorf("image %d lies at %d", i, p.Offset)
		}
	}
	// Behind the header the packager tells the kind by the file's extension.
	if diff := cmp.Diff(imageFile(t, "offload/offload-binary22.bin")[:offloadHeaderBytes], b[:offloadHeaderBytes]); diff != "" {
		t.Errorf("the head differs (-llvm-offload-binary +kiln):\n%s", diff)
	}
}

func TestPackagersAcceptOurs(t *testing.T) {
	images := offloadImages(t)
	b, err := EncodeOffloadBinary(images)
	if err != nil {
		t.Fatal(err)
	}
	in := writeTemp(t, "in.bin", b)
	for _, packager := range []string{"llvm-offload-binary-22", "clang-offload-packager-22", "clang-offload-packager-19", "clang-offload-packager-16"} {
		t.Run(packager, func(t *testing.T) {
			if packager != "llvm-offload-binary-22" {
				optionalTool(t, packager)
			}
			for _, im := range images {
				out := filepath.Join(t.TempDir(), "out")
				tool(t, packager, in, "--image=file="+out+",triple="+im.Triple+",arch="+im.Arch)
				if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, im.Data) {
					t.Errorf("%s: %d bytes, %v; want %d", im.Arch, len(got), err, len(im.Data))
				}
			}
		})
	}
	dump := tool(t, "llvm-objdump-22", "--offloading", in)
	for _, want := range []string{"kind            elf", "kind            cubin", "kind            llvm ir", "producer        hip", "producer        cuda", "producer        openmp"} {
		if !strings.Contains(dump, want) {
			t.Errorf("llvm-objdump does not say %q:\n%s", want, dump)
		}
	}
}

// Fat binaries are what fatbinary writes, to the byte.
func TestFatBinaryEqualsFatbinarys(t *testing.T) {
	for name, entries := range map[string][]FatEntry{
		"nvidia/plain.fatbinary13.0.fatbin": {
			{Data: imageFile(t, "nvidia/sm_80.ptxas13.0.cubin")},
			{Data: imageFile(t, "nvidia/sm_90a.ptxas12.9.cubin")},
			{Data: fatPTXOf(t, "nvidia/plain.fatbinary13.0.fatbin", 2)},
		},
		"nvidia/family.fatbinary13.0.fatbin": {
			{Data: imageFile(t, "nvidia/sm_100f.ptxas13.0.cubin")},
			{Data: fatPTXOf(t, "nvidia/family.fatbinary13.0.fatbin", 1)},
		},
	} {
		got, err := EncodeFatBinary(entries)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := imageFile(t, name); !bytes.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s has %d bytes, ours %d; they differ from byte %d on", name, len(want), len(got), at)
		}
	}
}

func fatPTXOf(t *testing.T, name string, n int) []byte {
	t.Helper()
	f := mustOpen(t, imageFile(t, name))
	b, err := f.Parts[n].Data()
	if err != nil || f.Parts[n].Kind != PTXText {
		t.Fatalf("%s: part %d: %s, %v", name, n, f.Parts[n].Kind, err)
	}
	return b
}

func TestFatBinaryRoundTrip(t *testing.T) {
	ptx := imageFile(t, "nvidia/kernels.clang22.ptx")
	cubin := imageFile(t, "nvidia/sm_90a.ptxas12.9.cubin")
	entries := []FatEntry{
		{Data: cubin, Name: "kernels.cu"},
		{Data: ptx, Name: "a", Options: "-O3 -v"},
		{Data: ptx[:len(ptx)-1], Processor: "sm_80"},
		{Data: cubin, Processor: "sm_90"},
	}
	b, err := EncodeFatBinary(entries)
	if err != nil {
		t.Fatal(err)
	}
	f := mustOpen(t, append(b, b...))
	if len(f.Parts) != 2*len(entries) {
		t.Fatalf("%d parts; want %d", len(f.Parts), 2*len(entries))
	}
	for i, processor := range []string{"sm_90a", "sm_80", "sm_80", "sm_90"} {
		p, e := &f.Parts[i+len(entries)], entries[i]
		data, err := p.Data()
		if err != nil || !bytes.Equal(data, e.Data) || p.Target.Processor != processor || p.Name != e.Name || p.Options != e.Options {
			t.Errorf("entry %d: %d bytes, %v, %+v", i, len(data), err, *p)
		}
	}
	if b, err := EncodeFatBinary(nil); err != nil || len(b) != fatHeaderBytes || len(mustOpen(t, b).Parts) != 0 {
		t.Errorf("a fat binary of nothing: %x, %v", b, err)
	}
}

func TestCuobjdumpAcceptsOurs(t *testing.T) {
	optionalTool(t, "cuobjdump")
	cubin := imageFile(t, "nvidia/sm_100f.ptxas13.0.cubin")
	b, err := EncodeFatBinary([]FatEntry{
		{Data: imageFile(t, "nvidia/sm_80.ptxas13.0.cubin"), Name: "first.cu"},
		{Data: cubin}, {Data: imageFile(t, "nvidia/kernels.clang22.ptx"), Options: "-v"},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := tool(t, "cuobjdump", "--dump-ptx", "--dump-elf-symbols", "--list-elf", writeTemp(t, "in.fatbin", b))
	for _, want := range []string{"first.sm_80.cubin", "2.sm_100.cubin"} {
		if !strings.Contains(out, want) {
			t.Errorf("cuobjdump does not say %q:\n%s", want, out)
		}
	}
	out = tool(t, "cuobjdump", "--dump-ptx", writeTemp(t, "in.fatbin", b))
	if !strings.Contains(out, ".visible .entry reverse(") || !strings.Contains(out, "arch = sm_80") {
		t.Errorf("cuobjdump shows no PTX:\n%s", out)
	}
}

func TestWritersRefuse(t *testing.T) {
	cubin, ptx := imageFile(t, "nvidia/sm_80.ptxas13.0.cubin"), imageFile(t, "nvidia/kernels.clang22.ptx")
	plain, err := EncodeBundle(bundleEntries(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, want string
		write      func() ([]byte, error)
	}{
		{"alignment", "no power of two", func() ([]byte, error) { return EncodeBundle(nil, 3) }},
		{"no ID", "empty or there twice", func() ([]byte, error) { return EncodeBundle([]BundleEntry{{}}, 0) }},
		{"one ID twice", `"a" is empty or there twice`, func() ([]byte, error) { return EncodeBundle([]BundleEntry{{ID: "a"}, {ID: "a"}}, 0) }},
		{"no bundle", "no offload bundle", func() ([]byte, error) { return EncodeCompressedBundle(cubin, 2, Zstd) }},
		{"version", "no version 4", func() ([]byte, error) { return EncodeCompressedBundle(plain, 4, Zstd) }},
		{"packing", "LZ4 is no packing", func() ([]byte, error) { return EncodeCompressedBundle(plain, 2, LZ4) }},
		{"model", `model "x"`, func() ([]byte, error) { return EncodeOffloadBinary([]OffloadImage{{Triple: "a", Model: "x"}}) }},
		{"triple", "no triple", func() ([]byte, error) { return EncodeOffloadBinary([]OffloadImage{{}}) }},
		{"zero byte", "zero byte", func() ([]byte, error) { return EncodeOffloadBinary([]OffloadImage{{Triple: "a\x00b"}}) }},
		{"bitcode", "bitcode is no content", func() ([]byte, error) { return EncodeFatBinary([]FatEntry{{Data: read(t, "tiny.llvm22.bc")}}) }},
		{"garbage", "entry 0", func() ([]byte, error) { return EncodeFatBinary([]FatEntry{{Data: []byte("\x01\x02\x03\x04")}}) }},
		{"other processor", "for sm_80, not for sm_90", func() ([]byte, error) { return EncodeFatBinary([]FatEntry{{Data: cubin, Processor: "sm_90"}}) }},
		{"letter of PTX", "for sm_80, not for sm_80a", func() ([]byte, error) { return EncodeFatBinary([]FatEntry{{Data: ptx, Processor: "sm_80a"}}) }},
	} {
		if b, err := tc.write(); err == nil || b != nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %d bytes, %v; want %q", tc.name, len(b), err, tc.want)
		}
	}
}

// A packed bundle whose bytes changed is not handed on.
func TestCompressedBundleIsChecked(t *testing.T) {
	plain, err := EncodeBundle(bundleEntries(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, packing := range []Packing{Zlib, Zstd} {
		for version, patch := range map[int]func([]byte){
			1: func(b []byte) { b[12] ^= 1 },
			2: func(b []byte) { binary.LittleEndian.PutUint32(b[12:], uint32(len(plain)-1)) },
			3: func(b []byte) { binary.LittleEndian.PutUint64(b[16:], uint64(len(plain)+1)) },
		} {
			b, err := EncodeCompressedBundle(plain, version, packing)
			if err != nil {
				t.Fatal(err)
			}
			patch(b)
			f := mustOpen(t, b)
			if data, err := f.Parts[0].Data(); data != nil || !errors.Is(err, ErrFormat) {
				t.Errorf("version %d, %s: %d bytes, %v; want ErrFormat", version, packing, len(data), err)
			}
		}
	}
}
