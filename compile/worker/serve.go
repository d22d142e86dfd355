package worker

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/compile"
)

// Asked reports whether a command line, the program's name first, is that of a
// worker: the program then calls [Serve] and nothing else.
func Asked(args []string) bool { return len(args) == 2 && args[1] == Argument }

// Serve answers requests until there are no more, and returns the exit code of
// the process. It is the whole of a child's work; a program that was not started
// by a [Pool] gets an error on its error stream.
func Serve() int {
	s := &server{in: os.NewFile(requestFile, "requests"), out: os.NewFile(replyFile, "replies")}
	if err := s.greet(); err != nil {
		fmt.Fprintf(os.Stderr, "%s is started by kiln itself, to compile in a process of its own: %v\n", Argument, err)
		return 2
	}
	// Whatever a compile is at, the process ends when its host does.
	questions := make(chan *question)
	go func() {
		for {
			q := new(question)
			if receive(s.in, q) != nil {
				os.Exit(0)
			}
			questions <- q
		}
	}()
	for q := range questions {
		if err := s.answer(q); err != nil {
			return 1
		}
	}
	return 0
}

type server struct {
	in       *os.File
	compiler *compile.Compiler
	memory   int64

	out   *os.File
	ended *event // the last stage's end, which goes with the next message
}

// send sends m and the end of the last stage: each message wakes the host. Only
// the goroutine of the compile calls it.
func (s *server) send(m *message) error {
	m.Event, s.ended = s.ended, nil
	return send(s.out, m)
}

// observe keeps the end of a stage until the next begins. A host that is gone is
// seen by the reader of its questions.
func (s *server) observe(e compile.Event) {
	if s.ended != nil {
		_ = s.send(new(message))
	}
	s.ended = packEvent(e)
}

// greet sets up the compiler that the host asks for.
func (s *server) greet() error {
	var g greeting
	if err := receive(s.in, &g); err != nil {
		return err
	}
	w := welcome{Protocol: protocol, Revision: compile.Revision}
	if g.Protocol == protocol && g.Revision == compile.Revision {
		var err error
		s.memory = g.Memory
		s.compiler, err = compile.New(compile.Config{
			LLVM: g.Library, DumpDir: g.Dump, Tools: g.Tools,
			Observe: s.observe,
			Begin:   func(stage compile.Stage) { _ = s.send(&message{Begun: stage}) },
		})
		if err != nil {
			w.Fault = err.Error()
		} else {
			w.Toolchain = s.compiler.Toolchain()
		}
	}
	// Of two processes the kernel then ends this one, should memory run out.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	return send(s.out, &w)
}

func (s *server) answer(q *question) error {
	if s.compiler == nil {
		return compile.ErrNoLLVM
	}
	m := message{Done: true}
	err := s.limit()
	switch {
	case err != nil:
	case q.Summarise:
		summary, failed := s.compiler.Summarise(context.Background(), q.Request.Module)
		if err = failed; err == nil {
			m.Reply = summary.Marshal()
		}
	default:
		im, failed := s.compiler.Compile(context.Background(), q.Request)
		if err = failed; err == nil {
			m.Reply = im.Marshal()
		}
	}
	m.Fault = packError(err)
	return s.send(&m)
}

// limit bounds the addresses that the process may take beyond those it has.
func (s *server) limit() error {
	if s.memory <= 0 {
		return nil
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	first, _, _ := strings.Cut(string(text), " ")
	pages, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	limit.Cur = min(pages*uint64(os.Getpagesize())+uint64(s.memory), limit.Max)
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	return nil
}
