package llvm_test

import (
	"testing"

	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
)

func TestMain(m *testing.M) { llvmtest.Main(m) }

// TestOnLLVM19 runs all the other tests on the oldest version.
func TestOnLLVM19(t *testing.T) { llvmtest.Again(t, 19, ".") }
