package llvm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
			if _, err := os.Stat(path); err != nil {
				continue
			}
			library, err := identify(path)
			if err == nil {
				return library, nil
			}
			unusable = err
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

var libraryName = regexp.MustCompile(`^libLLVM(?:-|\.so\.)(\d+)(?:\.(\d+))?`)

// identify reads who the library at path is.
func identify(path string) (Library, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Library{}, fmt.Errorf("locating LLVM: %w: %w: %s", ErrNoLLVM, err, install)
		}
		return Library{}, fmt.Errorf("locating LLVM: %w", err)
	}
	identity, err := readIdentity(resolved)
	if err != nil {
		return Library{}, fmt.Errorf("locating LLVM: %w: %s: %w", ErrNoLLVM, resolved, err)
	}
	m := libraryName.FindStringSubmatch(identity.soname)
	if m == nil {
		return Library{}, fmt.Errorf("locating LLVM: %w: %s calls itself %q: %s", ErrNoLLVM, resolved, identity.soname, install)
	}
	major, err := strconv.Atoi(m[1])
	if err != nil || major < OldestMajor || major > NewestMajor {
		return Library{}, fmt.Errorf("locating LLVM: %w: %s is LLVM %s, kiln works with %d to %d: %s",
			ErrNoLLVM, resolved, m[1], OldestMajor, NewestMajor, install)
	}
	minor := m[2]
	if minor == "" {
		minor = "0"
	}
	return Library{
		Path:    resolved,
		BuildID: identity.buildID,
		Version: m[1] + "." + minor,
		Major:   major,
	}, nil
}
