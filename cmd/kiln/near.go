package main

import (
	"strings"
)

// nearest returns the name that word may have been meant as, empty where none
// is near: one that differs by case alone, else the one with the fewest letters
// to change, as long as those are few.
func nearest(word string, names []string) string {
	best, fewest := "", max(1, len(word)/3)+1
	for _, name := range names {
		if strings.EqualFold(name, word) {
			return name
		}
		if d := distance(word, name); d < fewest {
			best, fewest = name, d
		}
	}
	if best != "" {
		return best
	}
	// A C++ name is in its mangled form: saxpy in _Z5saxpyPfS_fi.
	for _, name := range names {
		if len(word) > 2 && strings.Contains(name, word) {
			return name
		}
	}
	return ""
}

// didYouMean returns `, did you mean "run"?` or a semicolon, for a list of all
// names to follow.
func didYouMean(word string, names []string) string {
	if near := nearest(word, names); near != "" {
		return `, did you mean "` + near + `"?`
	}
	return ";"
}

// distance counts the letters to insert, remove, replace or swap with their
// neighbour to make b of a.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
