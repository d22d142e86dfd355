//go:build !(linux && amd64)

package cpu

var runtimeObject, barrierObject []byte
