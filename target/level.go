package target

// levels are the x86-64 micro-architecture levels, the highest first, each with
// what it adds to the one below it.
var levels = [...]struct {
	name string
	adds []string
}{
	{"x86-64-v4", []string{"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}},
	{"x86-64-v3", []string{"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
	{"x86-64-v2", []string{"cx16", "popcnt", "sahf", "sse4.2", "ssse3"}},
}

// levelX86 returns the highest level that a machine with these features reaches.
func levelX86(has func(feature string) bool) string {
	reached := "x86-64"
	for i := len(levels) - 1; i >= 0; i-- {
		for _, f := range levels[i].adds {
			if !has(f) {
				return reached
			}
		}
		reached = levels[i].name
	}
	return reached
}
