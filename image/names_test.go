package image

import (
	"encoding/json"
	"testing"
)

func TestNames(t *testing.T) {
	got, err := json.Marshal([]any{
		Bitcode, WrappedBitcode, TextIR, ELF, Kind(99), Kind(0),
		PTXText, Cubin, AMDGPUObject, LTOIR, FatBinary, FatBinaryWrapper, Bundle, CompressedBundle, OffloadBinary,
		Stored, Zlib, Zstd, LZ4, Scrambled, Packing(9),
		Object, PTX, CodeObject, Format(0),
		Host, Grid, Convention(7),
		Scalar, Pointer, Aggregate, SharedPointer, ParamKind(8),
	})
	want := `["bitcode","wrapped bitcode","textual IR","ELF","Kind(99)","unknown",` +
		`"PTX text","cubin","AMDGPU object","LTO IR","CUDA fat binary","CUDA fat binary wrapper",` +
		`"offload bundle","compressed offload bundle","offload binary",` +
		`"stored","zlib","zstd","LZ4","scrambled","Packing(9)",` +
		`"object","PTX","code object","Format(0)",` +
		`"host","grid","Convention(7)",` +
		`"scalar","pointer","aggregate","shared pointer","ParamKind(8)"]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
