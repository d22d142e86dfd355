package lz4

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func samples(t testing.TB) map[string][]byte {
	r := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 100_000)
	_, _ = r.Read(noise)
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"nothing": nil, "one": {7}, "short": []byte("abcdabcdabcd"), "zeros": make([]byte, 1<<20),
		"noise": noise, "text": []byte(strings.Repeat("the quick brown fox jumps over the lazy dog, ", 3000)),
		"far":     append(append(bytes.Clone(noise[:70_000]), noise[:70_000]...), noise[4465:4480]...),
		"program": program[:min(len(program), 4<<20)],
	}
}

func TestRoundTrip(t *testing.T) {
	for name, data := range samples(t) {
		for _, cut := range []int{0, 1, 4, 5, 11, 12, 13, 16} {
			if cut > len(data) {
				continue
			}
			data := data[cut:]
			packed := Pack([]byte("before"), data)
			if !bytes.HasPrefix(packed, []byte("before")) {
				t.Fatalf("%s: what was there before is gone", name)
			}
			packed = packed[6:]
			got, err := Unpack(packed, uint64(len(data)))
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s less %d: %d bytes back of %d, %v", name, cut, len(got), len(data), err)
			}
			if len(data) > 0 {
				if _, err := Unpack(packed, uint64(len(data)-1)); err != ErrDamaged {
					t.Errorf("%s less %d: unpacked to a byte less than it has: %v", name, cut, err)
				}
			}
			if most := len(data) + len(data)/255 + 16; len(packed) > most {
				t.Errorf("%s less %d: %d bytes packed are %d, more than %d", name, cut, len(data), len(packed), most)
			}
		}
	}
}

func TestRatio(t *testing.T) {
	s := samples(t)
	for name, most := range map[string]float64{"zeros": 0.005, "text": 0.01, "program": 0.75, "noise": 1.005} {
		if r := float64(len(Pack(nil, s[name]))) / float64(len(s[name])); r > most {
			t.Errorf("%s: packed to %.4f, want at most %.4f", name, r, most)
		}
	}
}

// Blocks as the format's description has them.
func TestUnpack(t *testing.T) {
	for in, want := range map[string]string{
		"\x00":                         "",
		"\x30abc":                      "abc",
		"\xf0\x00" + "123456789012345": "123456789012345",
		"\x10a\x01\x00\x50bcdef":       "aaaaabcdef",
		"\x1fa\x01\x00\x02\x10z":       strings.Repeat("a", 22) + "z",
		"\x20ab\x02\x00\x10c":          "abababc",
	} {
		if got, err := Unpack([]byte(in), uint64(len(want))); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "\x10", "\xf0", "\xf0\xff", "\x10a\x01", "\x10a\x00\x00\x10b", "\x10a\x02\x00\x10b", "\x1fa\x01\x00", "\x10a\x01\x00", "\x30ab", "\x10a\x02\x00\x00", "\x1Fa\x01\x00\xFF"} {
		if got, err := Unpack([]byte(in), 1000); err != ErrDamaged || got != nil {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x1fa\x01\x00\x02\x10z"), uint32(100))
	f.Fuzz(func(t *testing.T, data []byte, size uint32) {
		size %= 1 << 22
		b, err := Unpack(data, uint64(size))
		if (b == nil) != (err != nil) || len(b) > int(size) {
			t.Errorf("%d bytes of %d, %v", len(b), size, err)
		}
		if b, err := Unpack(Pack(nil, data), uint64(len(data))); err != nil || !bytes.Equal(b, data) {
			t.Errorf("packed and unpacked: %v", err)
		}
	})
}

func BenchmarkUnpack(b *testing.B) {
	data := samples(b)["program"]
	packed := Pack(nil, data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Unpack(packed, uint64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	data := samples(b)["program"]
	out := make([]byte, 0, len(data)*2)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		out = Pack(out[:0], data)
	}
}
