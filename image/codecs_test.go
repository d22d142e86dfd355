package image

import (
	"strings"
	"testing"
)

// Without a codec the error says what to import.
func TestPackingThatIsNotLinked(t *testing.T) {
	defer func(c Codec) { codecs[Zstd] = c }(codecs[Zstd])
	codecs[Zstd] = Codec{}
	bundle, err := EncodeBundle([]BundleEntry{{ID: "hip-amdgcn-amd-amdhsa--gfx900", Data: []byte("data")}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{
		func() error { _, err := unpack([]byte("x"), Zstd, 1, Limits{}.fill()); return err },
		func() error { _, err := EncodeCompressedBundle(bundle, 2, Zstd); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "must import github.com/kilnjit/kiln/image/packing") {
			t.Errorf("error %v", err)
		}
	}
}
