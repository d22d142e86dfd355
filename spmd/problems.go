package spmd

import (
	"fmt"
	"slices"
	"strings"
)

// problem is a kind of thing that keeps a kernel from being lowered.
type problem uint8

const (
	undefined problem = iota
	barrier
	warp
	sharedMemory
	printing
	heap
	assembly
	pointerWidth
	implicitRead
	signatureClash
	calleeIDs
	problemCount
)

var problemText = [problemCount]string{
	undefined:      "undefined",
	barrier:        "barriers",
	warp:           "operations across a warp",
	sharedMemory:   "shared memory",
	printing:       "printing",
	heap:           "the device's heap",
	assembly:       "inline assembly",
	pointerWidth:   "pointers made of 32-bit numbers",
	implicitRead:   "reads of the launch's description",
	signatureClash: "library functions declared with other types",
	calleeIDs:      "ids read in a function that cannot be inlined",
}

// problems collects what is wrong, so that one error tells all of it.
type problems [problemCount][]string

func (p *problems) add(kind problem, name string) {
	if !slices.Contains(p[kind], name) {
		p[kind] = append(p[kind], name)
	}
}

func (p *problems) err(kernel string) error {
	var parts []string
	for kind, names := range p {
		if len(names) > 0 {
			parts = append(parts, problemText[kind]+" ("+strings.Join(names, ", ")+")")
		}
	}
	if parts == nil {
		return nil
	}
	if kernel == "" {
		return fmt.Errorf("%w: %s", ErrUnsupported, strings.Join(parts, "; "))
	}
	return fmt.Errorf("kernel %s: %w: %s", kernel, ErrUnsupported, strings.Join(parts, "; "))
}

// classify tells which kind of thing a function of a device is that this
// package does not lower.
func classify(name string) problem {
	n := strings.TrimPrefix(name, "@")
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(n, s) })
	}
	switch {
	case has("kiln.nvvm.bar.warp", "kiln.amdgcn.wave.barrier", "sub_group", "shfl", "kiln.nvvm.vote", "kiln.nvvm.match",
		"redux.sync", "activemask", "bpermute", "ds.permute", "ds.swizzle", "dpp", "readlane", "readfirstlane",
		"writelane", "permlane", "ballot", "amdgcn.icmp", "amdgcn.fcmp", "amdgcn.if", "strict.w"):
		return warp
	case has("kiln.nvvm.barrier", "kiln.nvvm.bar.", "s.barrier", "_Z7barrierj", "work_group_barrier", "__ockl_wgred",
		"_Z18work_group", "_Z19work_group", "_Z20work_group", "_Z21work_group"):
		return barrier
	case has("printf", "hostcall"):
		return printing
	case n == "malloc" || n == "free" || has("__ockl_dm_"):
		return heap
	}
	return undefined
}
