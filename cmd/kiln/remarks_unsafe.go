package main

import (
	"runtime"
	"unsafe"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// setLLVMOptions gives LLVM options of its command line. They hold for the
// whole process and cannot be taken back; one that LLVM does not know ends the
// process.
func setLLVMOptions(options ...string) {
	var pinned runtime.Pinner
	defer pinned.Unpin()
	texts := append([]string{"kiln"}, options...)
	argv := make([]unsafe.Pointer, len(texts)+1)
	for i, text := range texts {
		bytes := append([]byte(text), 0)
		pinned.Pin(&bytes[0])
		argv[i] = unsafe.Pointer(&bytes[0])
	}
	pinned.Pin(&argv[0])
	capi.ParseCommandLineOptions(int32(len(texts)), uintptr(unsafe.Pointer(&argv[0])), "")
}
