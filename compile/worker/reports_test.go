package worker

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// llvm/llvm-project#58628, #85075, #176634, mull-project/mull#708: damaged
// bitcode was a crash of the reader, or an error about some record. Whatever a
// file was hit by, on either reader the process lives, there is an image exactly
// when there is no error, and a parse error names the file's producer and the
// reader.
func TestReport58628DamagedBitcode(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/bitcode/*.bc")
	if err != nil || len(paths) != 16 {
		t.Fatalf("%d files of bitcode, want 16: %v", len(paths), err)
	}
	native, err := target.Native()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for _, reader := range []int{19, 22} {
		t.Run(strconv.Itoa(reader), func(t *testing.T) {
			p := newPool(t, Options{Compile: compile.Config{LLVM: "libLLVM.so." + strconv.Itoa(reader) + ".1"}, Processes: 1, Time: 20 * time.Second})
			compileFile := func(module []byte, kernel string) (*image.Image, error) {
				return p.Compile(t.Context(), compile.Request{Module: module, Kernel: kernel, Target: native.Narrow(reader), Toolchain: p.Toolchain()})
			}
			good, bad, faults := 0, 0, 0
			for _, path := range paths {
				whole, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				_, writer, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".bc"), ".clang")
				kernel := "reverse"
				if strings.HasPrefix(filepath.Base(path), "host") {
					kernel = "total"
				}
				for i := range rounds {
					// The producer's name lies before, the symbol and string tables behind.
					at := 200 + (len(whole)-800)*(2*i+1)/(2*rounds)
					module := bytes.Clone(whole)
					switch i % 4 {
					case 0:
						module[at] ^= 1 << (i / 4 % 8)
					case 1:
						copy(module[at:at+8], "\xff\xff\xff\xff\xff\xff\xff\xff")
					case 2:
						clear(module[at : at+16])
					case 3:
						module = append(module[:at:at], whole[at+4:]...)
					}
					im, err := compileFile(module, kernel)
					if (im == nil) != (err != nil) {
						t.Fatalf("%s, damage %d at %d: image %v, error %v", path, i, at, im, err)
					}
					failed, ok := errors.AsType[*compile.Error](err)
					switch {
					case err == nil:
						good++
					case !ok || strings.Contains(err.Error(), "\n"):
						t.Errorf("%s, damage %d at %d: error %q", path, i, at, err)
					case errors.Is(err, compile.ErrFault) || errors.Is(err, ErrLimit):
						faults++
					default:
						bad++
						if text := failed.Error(); failed.Stage == compile.StageParse &&
							(!errors.Is(err, compile.ErrBadModule) || !strings.Contains(text, "LLVM"+writer+".") || !strings.Contains(text, "reader is LLVM "+p.Toolchain().Version)) {
							t.Errorf("%s, damage %d at %d: %q does not name producer and reader", path, i, at, text)
						}
					}
				}
				if im, err := compileFile(whole, kernel); (err == nil) != (writer != "22" || reader == 22) || (im == nil) != (err != nil) {
					t.Errorf("%s as it was: image %v, error %v", path, im, err)
				}
			}
			t.Logf("%d images, %d errors, %d faults of LLVM", good, bad, faults)
			if good+bad+faults != rounds*len(paths) || bad < len(paths) {
				t.Errorf("%d images, %d errors, %d faults of %d files", good, bad, faults, rounds*len(paths))
			}
		})
	}
}

// tenstorrent/tt-metal PR#51026, #6429: of several builds the first failure was
// told while others still used what it freed, or all threads waited for each
// other. Of 16 compiles at once with one child or four, number 3 is wrong and
// number 7 ends its process: each has its own error, the others their images, and
// the children work on.
func TestReport51026FailuresAmongOthers(t *testing.T) {
	for _, processes := range []int{1, 4} {
		p := newPool(t, Options{Processes: processes})
		images, errs := make([]*image.Image, 16), make([]error, 16)
		var group sync.WaitGroup
		for i := range images {
			group.Go(func() {
				r := request(t, p, saxpy)
				switch i {
				case 3:
					r.Module = []byte("define void @saxpy( {")
				case 7:
					r.Module = []byte(deep())
				}
				images[i], errs[i] = p.Compile(t.Context(), r)
			})
		}
		group.Wait()
		for i := range images {
			var want error
			switch i {
			case 3:
				want = compile.ErrBadModule
			case 7:
				want = compile.ErrFault
			}
			if !errors.Is(errs[i], want) || (images[i] == nil) != (want != nil) {
				t.Errorf("%d processes, compile %d: image %v, error %v, want %v", processes, i, images[i] != nil, errs[i], want)
			}
			if want == nil && images[i] != nil && !bytes.Equal(images[i].Payload, images[0].Payload) {
				t.Errorf("%d processes, compile %d: other bytes than the first", processes, i)
			}
		}
		wantWork(t, p)
	}
}
