package kiln_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/kilnjit/kiln/compile/worker"
)

// children are what the test binary does as another process, by its second
// argument behind "child".
var children = map[string]func(args []string) error{
	"architectures": architecturesChild,
	"exit":          exitChild,
	"faulty":        faultyChild,
	"first":         firstChild,
	"growth":        growthChild,
	"many":          manyChild,
	"small":         smallChild,
	"signals":       signalsChild,
	"other user":    otherUserChild,
}

var ctx = context.Background()

func TestMain(m *testing.M) {
	if worker.Asked(os.Args) {
		os.Exit(worker.Serve())
	}
	if len(os.Args) > 2 && os.Args[1] == "child" {
		if err := children[os.Args[2]](os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if dir := os.Getenv("KILN_TEST_WARM"); dir != "" {
		if err := warmChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
