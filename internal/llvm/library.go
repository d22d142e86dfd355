package llvm

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// The major versions of LLVM that kiln works with.
const (
	OldestMajor = 19
	NewestMajor = 22
)

// ErrNoLLVM is returned where no libLLVM of a usable version is found. The
// error that wraps it says what to install.
var ErrNoLLVM = errors.New("no usable libLLVM")

const install = "install LLVM 22 (apt-get install libllvm22) or name the library's file"

// Library is a libLLVM that has been found, not opened.
type Library struct {
	// Path is the file, symbolic links resolved.
	Path string
	// BuildID is the file's GNU build id in hex. For a file without one it is
	// made of size, time and inode, and starts with "stat:".
	BuildID string
	// Version is "major.minor", from the name the library gives itself.
	Version string
	// Major is the major version.
	Major int
}

// Locate finds libLLVM without opening it, within some tens of µs. prefer is
// the path of the library's file or, without a slash, its name in one of the
// usual folders; if it is empty the newest of the usual names is taken. A
// library that is missing, or is of a version that kiln does not work with,
// is an error that wraps [ErrNoLLVM].
func Locate(prefer string) (Library, error) {
	return locate(prefer, libraryFolders())
}

func locate(prefer string, folders []string) (Library, error) {
	if strings.Contains(prefer, "/") {
		return identify(prefer)
	}
	names := []string{prefer}
	if prefer == "" {
		names = nil
		for major := NewestMajor; major >= OldestMajor; major-- {
			names = append(names, fmt.Sprintf("libLLVM.so.%d.1", major))
		}
	}
	var unusable error
	for _, name := range names {
		for _, folder := range folders {
			path := filepath.Join(folder, name)
			library, err := identify(path)
			switch {
			case err == nil:
				return library, nil
			case !errors.Is(err, fs.ErrNotExist):
				unusable = err
			}
		}
	}
	if unusable != nil {
		return Library{}, unusable
	}
	what := "libLLVM.so"
	if prefer != "" {
		what = prefer
	}
	return Library{}, fmt.Errorf("locating LLVM: %w: %s is in none of the usual folders: %s", ErrNoLLVM, what, install)
}

// libraryFolders are the folders that distributions put libLLVM in.
func libraryFolders() []string {
	triplets := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
	folders := []string{"/usr/lib/" + triplets[runtime.GOARCH], "/usr/lib64", "/usr/lib", "/usr/local/lib"}
	for major := NewestMajor; major >= OldestMajor; major-- {
		folders = append(folders,
			fmt.Sprintf("/usr/lib/llvm-%d/lib", major),
			fmt.Sprintf("/usr/lib64/llvm%d/lib", major))
	}
	return folders
}

// versionIn returns the version in the name that a libLLVM gives itself, such
// as "libLLVM.so.22.1" or "libLLVM-19.so.1". minor is "" where it has none.
func versionIn(soname string) (major, minor string, ok bool) {
	rest, ok := strings.CutPrefix(soname, "libLLVM")
	if !ok {
		return "", "", false
	}
	switch {
	case strings.HasPrefix(rest, "-"):
		rest = rest[1:]
	case strings.HasPrefix(rest, ".so."):
		rest = rest[4:]
	default:
		return "", "", false
	}
	major, rest = digits(rest)
	if strings.HasPrefix(rest, ".") {
		minor, _ = digits(rest[1:])
	}
	return major, minor, major != ""
}

// digits splits s behind the decimal digits it begins with.
func digits(s string) (number, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// identify reads who the library at path is.
func identify(path string) (Library, error) {
	identity, resolved, err := readIdentity(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Library{}, fmt.Errorf("locating LLVM: %w: %w: %s", ErrNoLLVM, err, install)
	case err != nil:
		return Library{}, fmt.Errorf("locating LLVM: %w: %s: %w", ErrNoLLVM, path, err)
	}
	version, minor, ok := versionIn(identity.soname)
	if !ok {
		return Library{}, fmt.Errorf("locating LLVM: %w: %s calls itself %q: %s", ErrNoLLVM, resolved, identity.soname, install)
	}
	major, err := strconv.Atoi(version)
	if err != nil || major < OldestMajor || major > NewestMajor {
		return Library{}, fmt.Errorf("locating LLVM: %w: %s is LLVM %s, kiln works with %d to %d: %s",
			ErrNoLLVM, resolved, version, OldestMajor, NewestMajor, install)
	}
	if minor == "" {
		minor = "0"
	}
	return Library{
		Path:    resolved,
		BuildID: identity.buildID,
		Version: version + "." + minor,
		Major:   major,
	}, nil
}
