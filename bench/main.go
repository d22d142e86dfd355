// Bench measures kiln against floors, limits and peers in one run, prints a
// table and writes docs/benchmarks.md. Run it from the root of the repository.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
)

// bench is what the benchmarks share.
type bench struct {
	quick bool
	dir   string // for what is built and cached, removed at the end
	peers string // where scripts/setup bench has put what is no Debian package
	name  string // of the benchmark that runs
}

// rounds returns the number of repetitions, fewer in a quick run.
func (b *bench) rounds(full, quick int) int {
	if b.quick {
		return quick
	}
	return full
}

// benchmark is one of the table's sections.
type benchmark struct {
	name, title, how string
	run              func(context.Context, *bench) ([]row, error)
}

var benchmarks = []benchmark{
	compileHost, compileGPU, processes, caching, loading, launching, waking, polynomial, gridKernels, growing,
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	pattern := flag.String("run", "", "run the benchmarks whose names match this `regexp`: "+names())
	quick := flag.Bool("quick", false, "few repetitions: to see that it works, not for figures")
	jsonPath := flag.String("json", "", "write the result as JSON to this `file`")
	path := flag.String("o", filepath.Join("docs", "benchmarks.md"), "`file` a full run writes; empty for none")
	child := flag.Int("grow", 0, "used by the benchmark growth itself: compile `n` times and print how memory grew")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *child > 0 {
		err = grow(ctx, os.Stdout, *child)
	} else {
		err = runAll(ctx, os.Stdout, *pattern, *quick, *jsonPath, *path)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func names() string {
	var b bytes.Buffer
	for i, benchmark := range benchmarks {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(benchmark.name)
	}
	return b.String()
}

func runAll(ctx context.Context, w io.Writer, pattern string, quick bool, jsonPath, path string) error {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(benchmarks), func(m benchmark) bool { return !match.MatchString(m.name) })
	if len(chosen) == 0 {
		return fmt.Errorf("no benchmark matches %q; there are %s", pattern, names())
	}
	dir, err := os.MkdirTemp("", "kiln-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{quick: quick, dir: dir, peers: setup(ctx, "peers")}

	r := &report{Machine: describeMachine(b.peers)}
	var text bytes.Buffer
	out := io.MultiWriter(w, &text)
	r.writeHead(out)
	for _, m := range chosen {
		b.name = m.name
		rows, err := m.run(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for i := range rows {
			rows[i].Command = fmt.Sprintf("go run ./bench -run '^%s$'", m.name)
		}
		s := section{Name: m.name, Title: m.title, How: m.how, Rows: rows}
		s.write(out)
		r.Sections = append(r.Sections, s)
	}
	fmt.Fprintf(out, "\n%s. Load after the run: %s.\n", r.summary(), load())
	if jsonPath != "" {
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(jsonPath, append(data, '\n'), 0o666); err != nil {
			return err
		}
	}
	if pattern != "" || quick || path == "" {
		return nil
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
}
