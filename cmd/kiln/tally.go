package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// tally shows on a terminal how much of a known number of things is done.
type tally struct {
	out   io.Writer // nil off a terminal
	total int

	mu    sync.Mutex
	done  int
	shown time.Time
}

const (
	tallyWidth = 30
	tallyEvery = 50 * time.Millisecond
)

func newTally(out io.Writer, total int) *tally {
	if !isTerminal(out) {
		out = nil
	}
	return &tally{out: out, total: total}
}

// step counts one more, which is called what.
func (t *tally) step(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if t.out == nil || t.done < t.total && time.Since(t.shown) < tallyEvery {
		return
	}
	t.shown = time.Now()
	fmt.Fprintf(t.out, "\r\x1b[K%s %.40s", t.String(), what)
}

// String returns the bar: "[######......] 12/24".
func (t *tally) String() string {
	full := tallyWidth * t.done / max(t.total, 1)
	return fmt.Sprintf("[%s%s] %d/%d", strings.Repeat("#", full), strings.Repeat(".", tallyWidth-full), t.done, t.total)
}

// end clears the line.
func (t *tally) end() {
	if t.out != nil {
		fmt.Fprint(t.out, "\r\x1b[K")
	}
}
