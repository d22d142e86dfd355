package worker

import (
	"fmt"
	"regexp"
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

var (
	// Go's runtime says which signal has ended it and exits by itself.
	signalLine = regexp.MustCompile(`(?m)^(SIG[A-Z]+: .*)$`)
	llvmLine   = regexp.MustCompile(`(?m)^LLVM ERROR: (.*)$`)
	fatalLine  = regexp.MustCompile(`(?m)^fatal error: (.*)$`)
	// Of Go's stacks only the function of LLVM that was called says something.
	goStacks   = regexp.MustCompile(`(?m)^(runtime stack:|goroutine \d+ )`)
	calledLine = regexp.MustCompile(`(?m)^\S+/internal/llvm/capi\.(\w+)\(`)
)

// withoutStacks returns what was printed before the stacks of Go's runtime.
func withoutStacks(log string) string {
	if at := goStacks.FindStringIndex(log); at != nil {
		log = log[:at[0]]
	}
	return strings.TrimSpace(log)
}

// obituary says in one line how the child ended. It must have ended.
func (c *child) obituary() string {
	log := c.printed.String()
	var words []string
	if m := llvmLine.FindStringSubmatch(log); m != nil {
		words = append(words, "LLVM ERROR: "+m[1])
	}
	if m := signalLine.FindStringSubmatch(log); m != nil {
		words = append(words, m[1])
	} else if m := fatalLine.FindStringSubmatch(log); m != nil {
		words = append(words, m[1])
	}
	where := ""
	if m := calledLine.FindStringSubmatch(log); m != nil {
		where = " in LLVM" + m[1]
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
