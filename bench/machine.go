package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/kilnjit/kiln/internal/llvm"
)

// describeMachine says what the figures were measured on.
func describeMachine(peers string) []string {
	lines := []string{
		"date: " + time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		fmt.Sprintf("processor: %s, %d cores seen", field("/proc/cpuinfo", "model name"), runtime.NumCPU()),
		"memory: " + field("/proc/meminfo", "MemTotal"),
		fmt.Sprintf("system: %s, Linux %s", strings.Trim(assignment("/etc/os-release", "PRETTY_NAME"), `"`), word("/proc/sys/kernel/osrelease", 0)),
		"Go: " + runtime.Version(),
	}
	if library, err := llvm.Locate(""); err == nil {
		lines = append(lines, fmt.Sprintf("LLVM: %s, %s", library.Version, filepath.Base(library.Path)))
	}
	lines = append(lines, "clang: "+firstLine("clang-22", "--version"))
	if python := numbaPython(peers); python != "" {
		lines = append(lines, "numba: "+firstLine(python, "-c", "import numba; print(numba.__version__)"))
	}
	return append(lines, "load before the run (1, 5, 15 minutes): "+load())
}

// load is the system's load averages: a reader's measure of how quiet it was.
func load() string {
	words := strings.Fields(word("/proc/loadavg", -1))
	return strings.Join(words[:min(3, len(words))], " ")
}

func field(path, name string) string {
	for line := range strings.Lines(word(path, -1)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func assignment(path, name string) string {
	for line := range strings.Lines(word(path, -1)) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// word returns the i-th word of a file, all of it for -1.
func word(path string, i int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	if i < 0 {
		return string(data)
	}
	if words := strings.Fields(string(data)); i < len(words) {
		return words[i]
	}
	return "unknown"
}

func firstLine(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return "not there"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
