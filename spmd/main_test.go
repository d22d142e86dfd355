package spmd_test

import (
	"testing"

	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
)

func TestMain(m *testing.M) { llvmtest.Main(m) }

// TestOnLLVM19 runs the tests whose kernels are text on the oldest version: it
// does not read the bitcode of the newest.
func TestOnLLVM19(t *testing.T) { llvmtest.Again(t, 19, "TestRandom") }
