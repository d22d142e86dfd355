package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is the release this tree leads to.
const version = "0.1.0-dev"

type versionCommand struct{}

type versionResult struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

// Run prints the version.
func (*versionCommand) Run(s *session) error {
	result := versionResult{Version: version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				result.Revision = setting.Value[:min(len(setting.Value), 12)]
			}
		}
	}
	if s.json {
		return s.printJSON(result)
	}
	fmt.Fprintf(s.stdout, "kiln %s", result.Version)
	if result.Revision != "" {
		fmt.Fprintf(s.stdout, " (%s)", result.Revision)
	}
	fmt.Fprintf(s.stdout, ", %s, %s\n", result.Go, result.System)
	return nil
}
