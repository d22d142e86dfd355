package main

import (
	"regexp"
	"strings"
)

var (
	comments     = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	continuation = regexp.MustCompile(`\\\n`)
	valueClasses = regexp.MustCompile(`#define LLVM_FOR_EACH_VALUE_SUBCLASS\(macro\)([^\n]*)`)
	valueClass   = regexp.MustCompile(`macro\((\w+)\)`)
	cplusplus    = regexp.MustCompile(`(?s)#ifdef __cplusplus\n.*?#endif`)
	directive    = regexp.MustCompile(`(?m)^[ \t]*#[^\n]*`)
	lexeme       = regexp.MustCompile(`[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+|"[^"\n]*"|<<|\S`)
	number       = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|\d+)[uUlL]*$`)
	integerTail  = regexp.MustCompile(`\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b`)
)

// scan turns a header into tokens, without comments and preprocessor lines,
// and returns the names of the value classes that the header lists.
func scan(text string) (tokens, classes []string) {
	text = comments.ReplaceAllString(text, " ")
	text = continuation.ReplaceAllString(text, " ")
	if m := valueClasses.FindStringSubmatch(text); m != nil {
		for _, c := range valueClass.FindAllStringSubmatch(m[1], -1) {
			classes = append(classes, c[1])
		}
	}
	text = cplusplus.ReplaceAllString(text, "")
	text = directive.ReplaceAllString(text, "")
	text = integerTail.ReplaceAllString(text, "$1")
	for _, t := range lexeme.FindAllString(text, -1) {
		if t == "LLVM_C_ABI" || strings.HasPrefix(t, "LLVM_C_EXTERN_C") {
			continue
		}
		tokens = append(tokens, t)
	}
	return tokens, classes
}
