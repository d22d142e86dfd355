package worker

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
)

// printed keeps the beginning and the end of what a child has printed.
type printed struct {
	mu         sync.Mutex
	head, tail []byte
	dropped    int
}

const mostPrinted = 16 << 10 // of head and tail each

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(b)
	if room := mostPrinted - len(p.head); room > 0 {
		take := min(room, len(b))
		p.head, b = append(p.head, b[:take]...), b[take:]
	}
	p.tail = append(p.tail, b...)
	if over := len(p.tail) - mostPrinted; over > 0 {
		p.dropped += over
		p.tail = append(p.tail[:0], p.tail[over:]...)
	}
	return n, nil
}

// String returns what was printed, with a note of what is left out.
func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	gap := ""
	if p.dropped > 0 {
		gap = fmt.Sprintf("\n[%d bytes left out]\n", p.dropped)
	}
	return strings.TrimSpace(string(p.head) + gap + string(p.tail))
}

// lineOf returns the first line of log that begins with prefix, without it.
func lineOf(log, prefix string) (rest string, ok bool) {
	for line := range strings.Lines(log) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// signalLine returns the line in which Go's runtime, which then exits by itself,
// says what signal has ended it.
func signalLine(log string) (line string, ok bool) {
	for line := range strings.Lines(log) {
		name, _, ok := strings.Cut(line, ": ")
		if ok && strings.HasPrefix(name, "SIG") && strings.ToUpper(name) == name {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}

// calledLine returns the function of LLVM that Go's stacks say was called: the
// only thing that they say of a crash.
func calledLine(log string) (name string, ok bool) {
	const before = "/internal/llvm/capi."
	for line := range strings.Lines(log) {
		_, call, ok := strings.Cut(line, before)
		if name, _, called := strings.Cut(call, "("); ok && called && name != "" && !strings.Contains(name, " ") {
			return name, true
		}
	}
	return "", false
}

// withoutStacks returns what was printed before the stacks of Go's runtime.
func withoutStacks(log string) string {
	n := 0
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "runtime stack:") || strings.HasPrefix(line, "goroutine ") {
			break
		}
		n += len(line)
	}
	return strings.TrimSpace(log[:n])
}

// obituary says in one line how the child ended. It must have ended.
func (c *child) obituary() string {
	log := c.printed.String()
	var words []string
	if said, ok := lineOf(log, "LLVM ERROR: "); ok {
		words = append(words, "LLVM ERROR: "+said)
	}
	if signal, ok := signalLine(log); ok {
		words = append(words, signal)
	} else if fatal, ok := lineOf(log, "fatal error: "); ok {
		words = append(words, fatal)
	}
	where := ""
	if name, ok := calledLine(log); ok {
		where = " in LLVM" + name
	}
	status, _ := c.command.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case len(words) > 0:
	case status.Signaled():
		words = append(words, "signal: "+status.Signal().String())
	default:
		words = append(words, c.command.ProcessState.String())
	}
	return strings.Join(words, ", ") + where
}
