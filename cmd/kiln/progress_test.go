package main

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: nothing for half a second, then a line that is cleared at the end.
func TestProgress(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		499 * time.Millisecond: "",
		510 * time.Millisecond: "\r\x1b[Kcompiling k 0.5 s\r\x1b[K",
		650 * time.Millisecond: "\r\x1b[Kcompiling k 0.5 s\r\x1b[Kcompiling k 0.6 s\r\x1b[K",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			stop := make(chan struct{})
			go func() {
				time.Sleep(wait)
				close(stop)
			}()
			(&progress{out: &out}).show("compiling k", stop)
			if out.String() != want {
				t.Errorf("after %v: %q, want %q", wait, &out, want)
			}
		})
	}
}

// TestProgressOffTerminal: nothing is written where nobody looks.
func TestProgressOffTerminal(t *testing.T) {
	var out bytes.Buffer
	end := (&progress{out: &out}).begin("work")
	end()
	end()
	if out.Len() != 0 {
		t.Errorf("%q was written", &out)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if isTerminal(writer) {
		t.Error("a pipe counts as a terminal")
	}
}
