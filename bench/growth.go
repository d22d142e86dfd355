package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/internal/llvm"
)

var growing = benchmark{
	name:  "growth",
	title: "Memory of many compiles",
	how: "A process of its own compiles and loads a function for 2,000 different constants. Resident memory before, after, " +
		"and when the engine is closed, each after Go's heap was given back; what a compile adds is counted without its code. " +
		"Before comes a first round of as many compiles in an engine that is closed: malloc keeps free pieces between those in " +
		"use, up to a bound, and what a further round leaves is what is lost.",
	run: runGrowing,
}

// growth is what the child process reports, in bytes.
type growth struct {
	Compiles              int
	Before, After, Closed int64 // resident
	HeapBefore, HeapAfter int64
	Code                  int64
	Handles               int // of LLVM, open after all compiles
}

func runGrowing(ctx context.Context, b *bench) ([]row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, self, "-grow", strconv.Itoa(b.rounds(2000, 100)))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("running the child: %w", err)
	}
	var g growth
	if err := json.Unmarshal(out, &g); err != nil {
		return nil, err
	}
	kib := func(bytes int64, by int) sample {
		v := max(float64(bytes)/1024/float64(by), 0.1) // malloc may give back more than it took
		return sample{v, v, by}
	}
	each := row{Work: fmt.Sprintf("each of %d compiles, beyond its code", g.Compiles), Unit: "KiB",
		Kiln: kib(g.After-g.Before-g.Code, g.Compiles)}.atMost(64, least)
	each.Note = fmt.Sprintf("resident memory went from %.1f to %.1f MiB, of it code %.1f MiB and Go's heap %.1f MiB more; %d LLVM handles open",
		mib(g.Before), mib(g.After), mib(g.Code), mib(g.HeapAfter-g.HeapBefore), g.Handles)
	if g.Handles > 0 {
		each.Judged = each.Limit + float64(g.Handles)
	}
	back := row{Work: "left when the engine is closed", Unit: "KiB", Kiln: kib(g.Closed-g.Before, 1)}.atMost(4096, least)
	back.Note = "4 MiB are allowed: malloc keeps an arena for each of some threads, and they fill at different times"
	return []row{each, back}, nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// grow is the child: it compiles n forms of one function.
func grow(ctx context.Context, w io.Writer, n int) error {
	compileForms := func(first, n int) (*kiln.Engine, error) {
		engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
		if err != nil {
			return nil, err
		}
		kernel, err := kernelOf(ctx, engine, "nothing.ll", nothingGrid, "nothing")
		if err != nil {
			return nil, err
		}
		p := make([]byte, 8)
		for i := range n {
			err := kernel.Launch(ctx, kiln.Grid(1), kiln.Block(64),
				kiln.Arg(p), kiln.Const(int32(first+i)), kiln.Const(int32(2)), kiln.Const(int32(3)), kiln.Const(float32(4)))
			if err != nil {
				return nil, err
			}
		}
		return engine, nil
	}
	warm, err := compileForms(0, n)
	if err != nil {
		return err
	}
	if err := warm.Close(); err != nil {
		return err
	}
	g := growth{Compiles: n}
	g.Before, g.HeapBefore = memory()
	engine, err := compileForms(1_000_000, n)
	if err != nil {
		return err
	}
	stats := engine.Stats()
	if stats.Compiles != int64(n) || stats.Specialisations != int64(n) {
		return fmt.Errorf("%d compiles and %d specialisations, want %d", stats.Compiles, stats.Specialisations, n)
	}
	g.Code = stats.CodeBytes
	for _, open := range llvm.Live() {
		// The compiler keeps a few target machines for the next compile.
		if open.Kind != "target machine" {
			g.Handles++
		}
	}
	g.After, g.HeapAfter = memory()
	if err := engine.Close(); err != nil {
		return err
	}
	engine = nil
	g.Closed, _ = memory()
	return json.NewEncoder(w).Encode(g)
}

// memory returns the process's resident memory and Go's live heap in bytes,
// after giving back what is free.
func memory() (resident, heap int64) {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	pages, _ := strconv.ParseInt(strings.TrimSpace(word("/proc/self/statm", 1)), 10, 64)
	return pages * int64(os.Getpagesize()), int64(stats.HeapAlloc)
}
