package image_test

// The tests of package image open packed files.
import _ "github.com/kilnjit/kiln/image/packing"
