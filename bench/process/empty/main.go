// Empty does nothing. It imports purego, as every program that uses kiln does,
// and so costs what the start of such a program costs at least.
package main

import _ "github.com/ebitengine/purego"

func main() {}
