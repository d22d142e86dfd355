package spmd_test

import (
	"testing"

	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
)

func TestMain(m *testing.M) { llvmtest.Main(m) }
