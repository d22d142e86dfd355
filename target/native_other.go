//go:build !linux || !(amd64 || arm64)

package target

import (
	"fmt"
	"runtime"
)

func detect() (Target, error) {
	return Target{}, fmt.Errorf("detecting the processor: kiln cannot on %s/%s: name the target instead", runtime.GOOS, runtime.GOARCH)
}
