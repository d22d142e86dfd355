package kiln_test

import (
	"context"
	"fmt"
	"os"
	"testing"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	if dir := os.Getenv("KILN_TEST_WARM"); dir != "" {
		if err := warmChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
