package target

import "testing"

func TestArch(t *testing.T) {
	for triple, want := range map[string]string{
		"x86_64-pc-linux-gnu": "x86-64", "amd64": "x86-64", "arm64-apple-macosx14": "aarch64", "aarch64": "aarch64",
		"nvptx64-nvidia-cuda": "nvptx", "nvptx": "nvptx", "amdgcn-amd-amdhsa": "amdgpu", "r600--": "amdgpu",
		"spir64-unknown-unknown": "spir", "spirv64": "spir", "riscv64-unknown-linux-gnu": "unknown", "": "unknown",
	} {
		if got := (Target{Triple: triple}).Arch().String(); got != want {
			t.Errorf("%q: %s; want %s", triple, got, want)
		}
	}
}
