package kiln_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/kilnjit/kiln"
)

// TestCloseDuringCompile closes an engine while launches wait for their code:
// each of them is told why, and none that it was cancelled.
func TestCloseDuringCompile(t *testing.T) {
	begun := make(chan struct{}, 64)
	e := open(t, kiln.Options{Cache: kiln.CacheOptions{Off: true}, Events: kiln.Events{CompileBegin: func(c kiln.CompileInfo) {
		begun <- struct{}{}
	}}})
	k := kernel(t, e, "horner")
	for len(begun) > 0 {
		<-begun // the module's summary
	}
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			var y float32
			x := float32(i % 4)
			errs[i] = k.Launch(t.Context(), kiln.Const(x), kiln.Arg(x), kiln.Arg(x), kiln.Arg(x), kiln.Result(&y))
		})
	}
	<-begun
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil && !errors.Is(err, kiln.ErrClosed) {
			t.Errorf("launch %d: %v, want ErrClosed", i, err)
		}
	}
}
