package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/compile"
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

// openEngine opens an engine as the environment asks for, watching what it does.
func (s *session) openEngine(o *observed) (*kiln.Engine, error) {
	options := kiln.Options{
		LLVM: s.config.LLVM, Workers: s.config.Workers, DumpDir: s.config.Dump, Worker: s.workerOptions(),
		Cache: kiln.CacheOptions{
			Dir: s.config.CacheDir, MaxBytes: s.config.CacheMax,
			Off:      s.config.Cache == envconf.CacheOff,
			ReadOnly: s.config.Cache == envconf.CacheReadOnly,
		},
	}
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
	module, err := s.read(ctx, path)
	if err != nil {
		return nil, err
	}
	end := s.progress.begin("reading " + path)
	defer end()
	return engine.Load(ctx, module)
}

// read returns a file's module, compiled by clang where it is a source.
func (s *session) read(ctx context.Context, path string) (kiln.Source, error) {
	if source.LanguageOf(path) == source.Module {
		data, err := os.ReadFile(path)
		if err != nil {
			return kiln.Source{}, &inputError{err}
		}
		return kiln.Bytes(path, data), nil
	}
	bitcode, err := s.compileSource(ctx, path)
	if err != nil {
		return kiln.Source{}, err
	}
	return kiln.Bytes(path, bitcode), nil
}

func (s *session) compileSource(ctx context.Context, path string) ([]byte, error) {
	end := s.progress.begin("clang " + path)
	defer end()
	return source.Compile(ctx, path, func(text string) { fmt.Fprint(s.stderr, text) })
}

// level is an optimisation level as typed: 0 to 3, s or z.
type level struct{ compile.OptLevel }

// UnmarshalText reads a level.
func (l *level) UnmarshalText(text []byte) (err error) {
	l.OptLevel, err = compile.ParseOptLevel("O" + string(text))
	return err
}
