package cpu

import _ "embed"

var (
	//go:embed native/runtime_amd64.o
	runtimeObject []byte
	//go:embed native/barrier_amd64.o
	barrierObject []byte
)
