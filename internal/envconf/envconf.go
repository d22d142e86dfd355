// Package envconf is the one place where the environment is read. It turns
// KILN_* variables into a plain struct, strictly: a value that is not
// understood is an error naming the variable and what it accepts.
package envconf

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CacheMode says what the disk cache may do.
type CacheMode uint8

// The values of KILN_CACHE: "on", "ro" and "off".
const (
	CacheOn CacheMode = iota
	CacheReadOnly
	CacheOff
)

// Config is what the environment says. The zero value is an environment that
// says nothing.
type Config struct {
	// LLVM is the path of libLLVM (KILN_LLVM).
	LLVM string
	// CacheDir is the disk cache's folder (KILN_CACHE_DIR).
	CacheDir string
	// Cache says what the disk cache may do (KILN_CACHE).
	Cache CacheMode
	// CacheMax bounds the disk cache in bytes, 0 for the default (KILN_CACHE_MAX).
	CacheMax int64
	// CacheSystem is the folder of a cache that is only read and asked after the
	// other (KILN_CACHE_SYSTEM); NoCacheSystem tells that there is to be none.
	CacheSystem   string
	NoCacheSystem bool
	// Compiler is the kiln program that compiles in processes of its own
	// (KILN_COMPILER); InProcess tells that none is to.
	Compiler  string
	InProcess bool
	// CompileTime and CompileMemory bound a compile in a process of its own, 0
	// for no bound (KILN_COMPILE_TIME, KILN_COMPILE_MEMORY, the latter in bytes).
	CompileTime   time.Duration
	CompileMemory int64
	// Record is a folder that is told of each kernel used (KILN_RECORD).
	Record string
	// Dump is a folder for the stages of each compile (KILN_DUMP).
	Dump string
	// Workers is the number of the CPU device's threads, 0 for the default (KILN_WORKERS).
	Workers int
	// TraceKeys asks for what goes into the cache key (KILN_TRACE_KEYS).
	TraceKeys bool
	// Assembler is the one of PTX to use: nvjitlink, ptxas or none (KILN_ASSEMBLER).
	Assembler string
	// CUDA and ROCm are folders of the vendors' toolkits, Path are folders of
	// programs, as [Places] lists the variables.
	CUDA, ROCm, Path []string
	// Unknown are the KILN_* names that nothing reads, sorted.
	Unknown []string
}

// variable is one KILN_* name: set writes the value into a Config or fails.
type variable struct {
	name, accepts string
	set           func(*Config, string) error
}

func variables() []variable {
	return []variable{
		{"KILN_ASSEMBLER", "nvjitlink, ptxas or none", (*Config).setAssembler},
		{"KILN_CACHE", "on, ro or off", (*Config).setCache},
		{"KILN_CACHE_DIR", "an absolute path", func(c *Config, v string) error { return setPath(&c.CacheDir, v) }},
		{"KILN_CACHE_MAX", "a size above 0 such as 512MiB or 10GB", (*Config).setCacheMax},
		{"KILN_CACHE_SYSTEM", "off or an absolute path", func(c *Config, v string) error {
			return setPathOr(&c.CacheSystem, &c.NoCacheSystem, "off", v)
		}},
		{"KILN_COMPILER", "in-process or the absolute path of a kiln program", func(c *Config, v string) error {
			return setPathOr(&c.Compiler, &c.InProcess, "in-process", v)
		}},
		{"KILN_COMPILE_MEMORY", "a size of at least 256MiB, such as 4GiB", (*Config).setCompileMemory},
		{"KILN_COMPILE_TIME", "a time above 0 such as 30s or 5m", (*Config).setCompileTime},
		{"KILN_DUMP", "a folder's path", func(c *Config, v string) error { c.Dump = v; return nil }},
		{"KILN_LLVM", "the path of a libLLVM shared library", func(c *Config, v string) error { c.LLVM = v; return nil }},
		{"KILN_RECORD", "an absolute path", func(c *Config, v string) error { return setPath(&c.Record, v) }},
		{"KILN_TRACE_KEYS", "0 or 1", (*Config).setTraceKeys},
		{"KILN_WORKERS", "a number from 1 to 4096", (*Config).setWorkers},
	}
}

// Names returns the variables that are read, sorted, each with what it accepts.
func Names() (names, accepts []string) {
	for _, v := range variables() {
		names, accepts = append(names, v.name), append(accepts, v.accepts)
	}
	return names, accepts
}

// Error is a variable whose value is not understood.
type Error struct {
	Name, Value string
	// Accepts says in words what the variable takes.
	Accepts string
}

func (e *Error) Error() string {
	return fmt.Sprintf("environment variable %s=%q: it takes %s", e.Name, e.Value, e.Accepts)
}

var errValue = errors.New("not understood")

// Process returns this process's environment, as os.Environ does.
func Process() []string { return os.Environ() }

// Parse reads the KILN_* variables and the places of tools from an environment
// in the form of os.Environ. An empty value counts as unset; the last of several
// counts. All faults are reported together, each as an [*Error].
func Parse(environ []string) (Config, error) {
	var config Config
	var faults []error
	known := variables()
	seen := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, "KILN_") {
			seen[name] = value
		}
	}
	for _, v := range known {
		value := seen[v.name]
		delete(seen, v.name)
		if value == "" {
			continue
		}
		if v.set(&config, value) != nil {
			faults = append(faults, &Error{v.name, value, v.accepts})
		}
	}
	for name := range seen {
		config.Unknown = append(config.Unknown, name)
	}
	slices.Sort(config.Unknown)
	if len(faults) > 0 {
		return Config{}, errors.Join(faults...)
	}
	config.setPlaces(environ)
	return config, nil
}

func setPath(field *string, value string) error {
	if !strings.HasPrefix(value, "/") {
		return errValue
	}
	*field = value
	return nil
}

// setPathOr reads a path, or a word that stands for none.
func setPathOr(field *string, none *bool, word, value string) error {
	if *none = value == word; *none {
		return nil
	}
	return setPath(field, value)
}

func (c *Config) setAssembler(value string) error {
	if !slices.Contains([]string{"nvjitlink", "ptxas", "none"}, value) {
		return errValue
	}
	c.Assembler = value
	return nil
}

func (c *Config) setCompileMemory(value string) (err error) {
	if c.CompileMemory, err = ParseSize(value); err == nil && c.CompileMemory < 256<<20 {
		err = errValue
	}
	return err
}

func (c *Config) setCompileTime(value string) (err error) {
	if c.CompileTime, err = time.ParseDuration(value); err == nil && c.CompileTime <= 0 {
		err = errValue
	}
	return err
}

func (c *Config) setCache(value string) error {
	mode := slices.Index([]string{CacheOn: "on", CacheReadOnly: "ro", CacheOff: "off"}, value)
	if mode < 0 {
		return errValue
	}
	c.Cache = CacheMode(mode)
	return nil
}

func (c *Config) setCacheMax(value string) (err error) {
	if c.CacheMax, err = ParseSize(value); err == nil && c.CacheMax == 0 {
		err = errValue
	}
	return err
}

func (c *Config) setTraceKeys(value string) error {
	if value != "0" && value != "1" {
		return errValue
	}
	c.TraceKeys = value == "1"
	return nil
}

func (c *Config) setWorkers(value string) (err error) {
	if c.Workers, err = strconv.Atoi(value); err == nil && (c.Workers < 1 || c.Workers > 4096) {
		err = errValue
	}
	return err
}
