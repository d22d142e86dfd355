package envconf

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		want    Config
	}{
		{"nothing", nil, Config{}},
		{"other programs' variables", []string{"XPATH=/bin", "XKILN_CACHE=wild", "KILN"}, Config{}},
		{"everything", []string{
			"KILN_LLVM=/opt/libLLVM.so.22.1", "KILN_CACHE_DIR=/var/cache/kiln", "KILN_CACHE=ro",
			"KILN_CACHE_MAX=512MiB", "KILN_DUMP=out", "KILN_WORKERS=8", "KILN_TRACE_KEYS=1",
			"KILN_CACHE_SYSTEM=/usr/share/kiln", "KILN_COMPILER=/usr/bin/kiln", "KILN_COMPILE_MEMORY=1GiB", "KILN_COMPILE_TIME=1m30s",
			"KILN_RECORD=/tmp/record",
		}, Config{
			LLVM: "/opt/libLLVM.so.22.1", CacheDir: "/var/cache/kiln", Cache: CacheReadOnly,
			CacheMax: 512 << 20, Dump: "out", Workers: 8, TraceKeys: true,
			CacheSystem: "/usr/share/kiln", Compiler: "/usr/bin/kiln", CompileMemory: 1 << 30, CompileTime: 90 * time.Second, Record: "/tmp/record",
		}},
		{"empty is unset", []string{"KILN_CACHE=", "KILN_WORKERS="}, Config{}},
		{"the last counts", []string{"KILN_CACHE=off", "KILN_CACHE=on"}, Config{Cache: CacheOn}},
		{"off", []string{"KILN_CACHE=off"}, Config{Cache: CacheOff}},
		{"none", []string{"KILN_CACHE_SYSTEM=off", "KILN_COMPILER=in-process"}, Config{NoCacheSystem: true, InProcess: true}},
		{"places", []string{
			"PATH=/usr/local/bin:bin::/usr/bin:/usr/local/bin", "VIRTUAL_ENV=/venv", "CUDA_PATH=/cuda", "CUDA_HOME=/cuda", "CUDA_ROOT=/cuda-13",
			"CONDA_PREFIX=", "ROCM_PATH=/opt/rocm", "KILN_ASSEMBLER=ptxas",
		}, Config{CUDA: []string{"/cuda-13", "/cuda", "/venv"}, ROCm: []string{"/opt/rocm"}, Path: []string{"/usr/local/bin", "/usr/bin"}, Assembler: "ptxas"}},
		{"unknown names", []string{"KILN_WORKER=1", "KILN_CAHCE=off"}, Config{Unknown: []string{"KILN_CAHCE", "KILN_WORKER"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.environ)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, entry := range []string{
		"KILN_CACHE=ON", "KILN_CACHE=readonly", "KILN_CACHE_DIR=relative/dir", "KILN_CACHE_MAX=0",
		"KILN_CACHE_MAX=-1", "KILN_CACHE_MAX=10 GB", "KILN_CACHE_MAX=1Zi", "KILN_TRACE_KEYS=yes",
		"KILN_WORKERS=0", "KILN_WORKERS=4097", "KILN_WORKERS=two",
		"KILN_CACHE_SYSTEM=on", "KILN_COMPILER=kiln", "KILN_COMPILE_MEMORY=255MiB", "KILN_COMPILE_TIME=30", "KILN_COMPILE_TIME=-1s", "KILN_RECORD=x",
		"KILN_ASSEMBLER=as",
	} {
		config, err := Parse([]string{entry})
		var fault *Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: error %v, want an *Error", entry, err)
			continue
		}
		if !strings.HasPrefix(entry, fault.Name+"="+fault.Value) || fault.Accepts == "" {
			t.Errorf("%s: error names %s=%q and accepts %q", entry, fault.Name, fault.Value, fault.Accepts)
		}
		if diff := cmp.Diff(Config{}, config); diff != "" {
			t.Errorf("%s: config beside an error:\n%s", entry, diff)
		}
	}
}

func TestParseReportsAllFaults(t *testing.T) {
	_, err := Parse([]string{"KILN_CACHE=maybe", "KILN_WORKERS=many"})
	want := "environment variable KILN_CACHE=\"maybe\": it takes on, ro or off\n" +
		"environment variable KILN_WORKERS=\"many\": it takes a number from 1 to 4096"
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}

func TestNames(t *testing.T) {
	names, accepts := Names()
	if len(names) != 13 || len(accepts) != 13 {
		t.Fatalf("%d names, %d explanations, want 13 of each", len(names), len(accepts))
	}
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			t.Errorf("%s before %s: names are to be sorted", names[i-1], names[i])
		}
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1": 1, "12B": 12, "3k": 3000, "3K": 3000, "3KiB": 3 << 10, "5Mi": 5 << 20, "5M": 5e6,
		"7GB": 7e9, "7GiB": 7 << 30, "1T": 1e12, "2TiB": 2 << 40, "9223372036854775807": math.MaxInt64,
	} {
		if got, err := ParseSize(s); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "k", "-1", "+1", "1.5M", "1 M", "1MM", "1Mk", "1Bi", "1iB", "0x10", "9223372036854775808", "8388608Ti", "1e3"} {
		if got, err := ParseSize(s); err == nil || got != 0 {
			t.Errorf("ParseSize(%q) = %d, %v, want an error", s, got, err)
		}
	}
}

func TestCacheDir(t *testing.T) {
	tests := []struct {
		environ []string
		want    string
	}{
		{[]string{"HOME=/home/u"}, "/home/u/.cache/kiln"},
		{[]string{"HOME=/home/u", "XDG_CACHE_HOME=/x"}, "/x/kiln"},
		{[]string{"HOME=/home/u", "XDG_CACHE_HOME=relative"}, "/home/u/.cache/kiln"},
		{[]string{"HOME=/home/u", "XDG_CACHE_HOME=/x", "KILN_CACHE_DIR=/k"}, "/k"},
	}
	for _, tt := range tests {
		if got, err := CacheDir(tt.environ); err != nil || got != tt.want {
			t.Errorf("CacheDir(%q) = %q, %v, want %q", tt.environ, got, err, tt.want)
		}
	}
	for _, environ := range [][]string{nil, {"HOME="}, {"HOME=here"}} {
		if got, err := CacheDir(environ); !errors.Is(err, ErrNoCacheDir) || got != "" {
			t.Errorf("CacheDir(%q) = %q, %v, want ErrNoCacheDir", environ, got, err)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	f.Add("512MiB")
	f.Add("9223372036854775807B")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseSize(s); n < 0 || err != nil && n != 0 {
			t.Errorf("ParseSize(%q) = %d, %v", s, n, err)
		}
	})
}
