package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/envconf"
)

// observed is what an engine did, gathered from its events.
type observed struct {
	compiles int
	compile  time.Duration
	stages   []kiln.StageTime
	hits     int
	reason   string // of the last miss
}

// engineOptions returns what the environment asks for.
func (s *session) engineOptions() kiln.Options {
	return kiln.Options{
		LLVM: s.config.LLVM, Workers: s.config.Workers, DumpDir: s.config.Dump, Worker: s.workerOptions(), Record: s.config.Record,
		Tools: s.tools(),
		Cache: kiln.CacheOptions{
			Dir: s.config.CacheDir, MaxBytes: s.config.CacheMax,
			Off:      s.config.Cache == envconf.CacheOff,
			ReadOnly: s.config.Cache == envconf.CacheReadOnly,
			System:   s.config.CacheSystem, NoSystem: s.config.NoCacheSystem,
		},
	}
}

// openEngine opens an engine as the environment asks for, watching what it does.
func (s *session) openEngine(o *observed) (*kiln.Engine, error) {
	options := s.engineOptions()
	options.Events.Warning = func(err error) { fmt.Fprintf(s.stderr, "kiln: warning: %v\n", err) }
	options.Events.CompileEnd = func(r kiln.CompileResult) {
		if r.Kernel != "" {
			o.compiles, o.compile, o.stages = o.compiles+1, o.compile+r.Duration, r.Stages
		}
	}
	options.Events.CacheLookup = func(l kiln.CacheLookup) {
		switch {
		case l.Kernel == "":
		case l.Hit:
			o.hits++
		default:
			o.reason = l.Reason
		}
	}
	return kiln.Open(options)
}

// load reads a module, through clang where the file is a source.
func (s *session) load(ctx context.Context, engine *kiln.Engine, path string) (*kiln.Module, error) {
	module, err := s.readModule(ctx, path)
	if err != nil {
		return nil, err
	}
	end := s.progress.begin("reading " + path)
	defer end()
	return engine.Load(ctx, kiln.Bytes(path, module))
}

// findKernel returns the named kernel, or an error that names what is near and
// what there is. A C++ kernel goes by its plain name too, where that is enough.
func findKernel(module *kiln.Module, name string, options compile.Options) (*kiln.Kernel, error) {
	full, err := fullName(module.Name(), name, module.Summary())
	if err != nil {
		return nil, err
	}
	return module.KernelWithOptions(full, kiln.KernelOptions{Compile: options})
}

// fullName returns the name of the kernel in the module.
func fullName(file, name string, summary *image.Summary) (string, error) {
	var plain []string
	for i := range summary.Kernels {
		switch own := summary.Kernels[i].Name; name {
		case own:
			return own, nil
		case plainName(own):
			plain = append(plain, own)
		}
	}
	switch len(plain) {
	case 0:
		return "", noKernel(file, name, summary)
	case 1:
		return plain[0], nil
	}
	return "", usage("%s has %d kernels of the name %s: give one as it is compiled, %s", file, len(plain), name, strings.Join(plain, ", "))
}

var nextName = regexp.MustCompile(`^\d+`)

// plainName returns the last part of a mangled C++ name: saxpy of
// _ZN4math5saxpyEPfi. What is not mangled, or is a template or operator, has none.
func plainName(name string) string {
	rest, found := strings.CutPrefix(name, "_Z")
	if !found {
		return ""
	}
	rest = strings.TrimPrefix(rest, "L")
	rest, nested := strings.CutPrefix(rest, "N")
	last := ""
	for {
		digits := nextName.FindString(rest)
		n, err := strconv.Atoi(digits)
		if err != nil || n > len(rest)-len(digits) || last != "" && !nested {
			break
		}
		last, rest = rest[len(digits):len(digits)+n], rest[len(digits)+n:]
	}
	return last
}

// manyKernels is how many names an error lists.
const manyKernels = 12

func noKernel(file, name string, summary *image.Summary) error {
	var names []string
	for i := range summary.Kernels {
		names = append(names, summary.Kernels[i].Name)
	}
	if len(names) == 0 {
		return &inputError{fmt.Errorf("%s has no kernel: a kernel is a function that others can call, marked as one (__global__, kernel) in device code", file)}
	}
	list := strings.Join(names[:min(len(names), manyKernels)], ", ")
	if more := len(names) - manyKernels; more > 0 {
		list += fmt.Sprintf(" and %d more; kiln inspect %s lists them", more, file)
	}
	words := slices.Clone(names)
	for _, own := range names {
		if plain := plainName(own); plain != "" {
			words = append(words, plain)
		}
	}
	return &inputError{fmt.Errorf("%s has no kernel %q%s it has %s", file, name, didYouMean(name, words), list)}
}

// level is an optimisation level as typed: 0 to 3, s or z.
type level struct{ compile.OptLevel }

// UnmarshalText reads a level.
func (l *level) UnmarshalText(text []byte) (err error) {
	l.OptLevel, err = compile.ParseOptLevel("O" + string(text))
	return err
}
