// Command kiln compiles, runs and inspects device code. See docs/cli.md.
package main

import (
	"os"

	"github.com/kilnjit/kiln/compile/worker"
	"github.com/kilnjit/kiln/internal/envconf"
)

func main() {
	if worker.Asked(os.Args) {
		os.Exit(worker.Serve())
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, envconf.Process()))
}
