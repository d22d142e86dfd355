package llvm

import "io"

// SetMaxLostThreads changes how many threads may be lost, and returns what it
// was.
func SetMaxLostThreads(n int) int { return int(maxLostThreads.Swap(int64(n))) }

// LocateIn is Locate with folders of the test's own.
func LocateIn(prefer string, folders ...string) (Library, error) { return locate(prefer, folders) }

// ParseIdentity reads the build id and the soname of a shared library.
func ParseIdentity(file io.ReaderAt) (buildID, soname string, err error) {
	id, err := parseIdentity(file)
	return id.buildID, id.soname, err
}
