package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/kilnjit/kiln/cache/disk"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/internal/envconf"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/target"
)

type doctorCommand struct{}

// finding is one thing that doctor looked for.
type finding struct {
	Name string `json:"name"`
	// State is "ok", "missing" or, for what kiln can do without, "absent".
	State string `json:"state"`
	// Detail is what was found, Fix what to type where it is not there.
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

type doctorResult struct {
	OK       bool      `json:"ok"`
	Findings []finding `json:"findings"`
}

// Run looks for everything kiln uses; what it cannot do without and does not
// find makes the exit code 3.
func (*doctorCommand) Run(s *session) error {
	result := &doctorResult{OK: true}
	result.Findings = append(result.Findings, s.findLLVM()...)
	result.Findings = append(result.Findings, findProcessor(), s.findCache())
	result.Findings = append(result.Findings, findTools()...)
	result.Findings = append(result.Findings, s.findGPUTools()...)
	for _, f := range result.Findings {
		result.OK = result.OK && f.State != "missing"
	}
	if s.json {
		if err := s.printJSON(result); err != nil {
			return err
		}
	} else if err := printFindings(s, result); err != nil {
		return err
	}
	if !result.OK {
		return errNotReady
	}
	return nil
}

// errNotReady is doctor's own verdict, which it has printed already.
var errNotReady = fmt.Errorf("%w: %w", errReported, &missingError{"something kiln needs is missing"})

const installLLVM = "apt-get install libllvm22"

// findLLVM reports the library that is used, opening it, and the others.
func (s *session) findLLVM() []finding {
	fix := installLLVM
	if s.config.LLVM != "" {
		fix = "unset KILN_LLVM"
	}
	used, err := llvm.Locate(s.config.LLVM)
	if err != nil {
		return []finding{{"libLLVM", "missing", err.Error(), fix}}
	}
	if err := llvm.Open(used); err != nil {
		return []finding{{"libLLVM", "missing", err.Error(), fix}}
	}
	findings := []finding{{"libLLVM", "ok", fmt.Sprintf("%s at %s, build id %s", used.Version, used.Path, used.BuildID), ""}}
	for major := llvm.NewestMajor; major >= llvm.OldestMajor; major-- {
		other, err := llvm.Locate(fmt.Sprintf("libLLVM.so.%d.1", major))
		if err == nil && other.Path != used.Path {
			findings = append(findings, finding{"libLLVM, other", "ok",
				fmt.Sprintf("%s at %s, build id %s (KILN_LLVM=%[2]s uses it)", other.Version, other.Path, other.BuildID), ""})
		}
	}
	return findings
}

func findProcessor() finding {
	t, err := target.Native()
	if err != nil {
		return finding{"processor", "missing", err.Error(), ""}
	}
	return finding{"processor", "ok", t.Processor + ", " + t.Triple, ""}
}

// findCache reports the cache's folder. kiln works without one, more slowly.
func (s *session) findCache() finding {
	if s.config.Cache == envconf.CacheOff {
		return finding{"cache", "absent", "switched off by KILN_CACHE=off", "unset KILN_CACHE"}
	}
	store, err := s.openCache()
	if err != nil {
		return finding{"cache", "absent", err.Error(), "point KILN_CACHE_DIR at a folder you may write to"}
	}
	defer store.Close()
	usage, err := store.Usage(context.Background())
	if err != nil {
		return finding{"cache", "absent", err.Error(), "point KILN_CACHE_DIR at a folder you may write to"}
	}
	word := "writable"
	if s.config.Cache == envconf.CacheReadOnly {
		word = "read only"
	}
	return finding{"cache", "ok", fmt.Sprintf("%s, %s, %d entries, %s of %s", store.Dir(), word, usage.Entries, size(usage.Bytes), size(usage.MaxBytes)), ""}
}

func (s *session) openCache() (*disk.Store, error) {
	dir, err := s.cacheDir()
	if err != nil {
		return nil, err
	}
	return disk.Open(disk.Options{Dir: dir, MaxBytes: s.config.CacheMax, ReadOnly: s.config.Cache == envconf.CacheReadOnly})
}

func (s *session) cacheDir() (string, error) {
	if s.config.CacheDir != "" {
		return s.config.CacheDir, nil
	}
	dir, err := envconf.CacheDir(s.env)
	if errors.Is(err, envconf.ErrNoCacheDir) {
		return "", &inputError{err}
	}
	return dir, err
}

// findTools reports the programs that some commands start.
func findTools() []finding {
	var findings []finding
	if path, err := source.FindClang(); err == nil {
		findings = append(findings, finding{"clang", "ok", path + ", for .c, .cu, .hip and .cl files", ""})
	} else {
		findings = append(findings, finding{"clang", "absent", "needed for .c, .cu, .hip and .cl files", "apt-get install clang-22"})
	}
	if path, err := findCC(); err == nil {
		findings = append(findings, finding{"C compiler", "ok", path + ", for run --check", ""})
	} else {
		findings = append(findings, finding{"C compiler", "absent", "needed for run --check", "apt-get install gcc libc6-dev"})
	}
	return findings
}

func printFindings(s *session, r *doctorResult) error {
	out := tabwriter.NewWriter(s.stdout, 0, 8, 2, ' ', 0)
	for _, f := range r.Findings {
		fmt.Fprintf(out, "%s\t%s\t%s\n", f.State, f.Name, f.Detail)
		if f.Fix != "" {
			fmt.Fprintf(out, "\t\ttype: %s\n", f.Fix)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	verdict := "kiln is ready to use."
	if !r.OK {
		verdict = "kiln cannot work before what is missing is there."
	}
	_, err := fmt.Fprintln(s.stdout, verdict)
	return err
}
