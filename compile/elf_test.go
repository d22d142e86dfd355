package compile

import (
	"bytes"
	"debug/elf"
	"testing"
)

// undefinedSymbols returns the names that a shared object expects from outside.
func undefinedSymbols(t testing.TB, object []byte) []string {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF && s.Name != "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// functionBytes returns the size of a function in a shared object.
func functionBytes(t testing.TB, object []byte, name string) uint64 {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			return s.Size
		}
	}
	t.Fatalf("no function %q", name)
	return 0
}
