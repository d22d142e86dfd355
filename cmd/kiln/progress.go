package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// progress shows on a terminal what takes longer than half a second.
type progress struct{ out io.Writer }

const progressAfter = 500 * time.Millisecond

// begin starts showing what and returns the function that ends it and clears
// the line. Off a terminal both do nothing.
func (p *progress) begin(what string) (end func()) {
	if !isTerminal(p.out) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		p.show(what, stop)
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
}

func (p *progress) show(what string, stop <-chan struct{}) {
	start := time.Now()
	wait, shown := progressAfter, false
	for {
		select {
		case <-stop:
			if shown {
				fmt.Fprint(p.out, "\r\x1b[K")
			}
			return
		case <-time.After(wait):
			shown, wait = true, 100*time.Millisecond
			fmt.Fprintf(p.out, "\r\x1b[K%s %.1f s", what, time.Since(start).Seconds())
		}
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}
