package target

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// clang runs clang-22 on an empty C function and returns all it prints.
func clang(args ...string) (string, error) {
	cmd := exec.Command("clang-22", append(args, "-nogpulib", "-nogpuinc", "-o", "-", "-x", "c", "-")...)
	cmd.Stdin = strings.NewReader("void f(void) {}\n")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var (
	targetCPU      = regexp.MustCompile(`"-target-cpu" "([^"]*)"`)
	targetFeatures = regexp.MustCompile(`"target-features"="([^"]*)"`)
)

// An alias and its processor have the same features, or are one to clang.
func TestAliasesMeanTheSame(t *testing.T) {
	flag := map[Arch]string{X86_64: "-march=", AArch64: "-mcpu=", AMDGPU: "-mcpu="}
	var each []func()
	for _, a := range aliases {
		each = append(each, func() {
			if a.arch == AMDGPU {
				line, err := clang("--target=amdgcn-amd-amdhsa", "-mcpu="+a.alias, "-###", "-c")
				if m := targetCPU.FindStringSubmatch(line); err != nil || m == nil || m[1] != a.name {
					t.Errorf("%s is no %s to clang: %v\n%s", a.alias, a.name, err, line)
				}
				return
			}
			var features [2]string
			for i, name := range []string{a.alias, a.name} {
				ir, err := clang("--target="+tripleOf(a.arch), flag[a.arch]+name, "-S", "-emit-llvm")
				m := targetFeatures.FindStringSubmatch(ir)
				if err != nil || m == nil {
					t.Errorf("%s: %v\n%s", name, err, ir)
					return
				}
				features[i] = m[1]
			}
			if features[0] != features[1] {
				t.Errorf("%s has features\n%s\n%s has\n%s", a.alias, features[0], a.name, features[1])
			}
		})
	}
	together(each)
	for _, a := range aliases {
		if canonicalProcessor(a.arch, a.name) != a.name {
			t.Errorf("%s leads to %s, itself an alias", a.alias, a.name)
		}
		for _, name := range []string{a.alias, a.name} {
			if _, ok := processorsOf(a.arch).find(name); !ok {
				t.Errorf("no table has %s", name)
			}
		}
	}
}

// The choice of xnack and sramecc is clang's own.
func TestSettingsAgreeWithClang(t *testing.T) {
	accepts := func(id string) bool {
		out, err := clang("--target=amdgcn-amd-amdhsa", "-mcpu="+id, "-###", "-c")
		if err != nil && !strings.Contains(out, "invalid target ID") {
			t.Errorf("%s: %v\n%s", id, err, out)
		}
		return err == nil && !strings.Contains(out, "invalid target ID")
	}
	var each []func()
	for p := range amdgpuNames() {
		each = append(each, func() {
			x, s := hasSetting(p, "xnack"), hasSetting(p, "sramecc")
			if s && !x {
				t.Errorf("%s has sramecc but not xnack", p)
			}
			if got := accepts(p + ":xnack+"); got != x {
				t.Errorf("%s:xnack+: clang takes it: %v; kiln: %v", p, got, x)
			}
			if !x {
				return
			}
			if got := accepts(p + ":sramecc-:xnack+"); got != s {
				t.Errorf("%s:sramecc-: clang takes it: %v; kiln: %v", p, got, s)
			}
		})
	}
	together(each)
}

// amdgpuNames yields the AMD processors that are neither generic nor an alias.
func amdgpuNames() func(func(string) bool) {
	return func(yield func(string) bool) {
		for p := range processorsOf(AMDGPU).all(newestListed) {
			if p != "generic" && p != "generic-hsa" && canonicalProcessor(AMDGPU, p) == p && !yield(p) {
				return
			}
		}
	}
}

// together runs the functions four at a time.
func together(each []func()) {
	var wg sync.WaitGroup
	for part := range slices.Chunk(each, len(each)/4+1) {
		wg.Go(func() {
			for _, f := range part {
				f()
			}
		})
	}
	wg.Wait()
}

// What Validate accepts, LLVM takes without a warning.
func TestTablesAgreeWithLLVM(t *testing.T) {
	for _, s := range []string{"znver5", "x86_64-unknown-linux-gnu/generic/+avx2", "neoverse-v2", "sm_100", "gfx1250", "gfx90a:xnack-"} {
		target, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Validate(22); err != nil {
			t.Error(err)
		}
		cmd := exec.Command("llc-22", "-mtriple="+target.Triple, "-mcpu="+target.Processor, "-mattr="+target.Features, "-o", os.DevNull, "-")
		cmd.Stdin = strings.NewReader("define void @f() {\n  ret void\n}\n")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %v\n%s", target, err, out)
		}
	}
}
