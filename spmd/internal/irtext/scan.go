// Package irtext reads the text that LLVM prints for a module, as far as a
// rewriting of functions needs it: top-level entities, and functions as blocks
// of instructions with typed operands. It knows the printer's canonical form,
// not all that a person may write. Nothing here needs LLVM.
package irtext

import "strings"

// Kind tells what a token is.
type Kind uint8

// The kinds of tokens.
const (
	// Word is a keyword, a type name, a number or a constant.
	Word Kind = iota
	// Local is "%name", a value, a block or a named type.
	Local
	// Global is "@name".
	Global
	// Meta is "!name" or "!7"; a bare "!" is punctuation.
	Meta
	// AttrRef is "#7".
	AttrRef
	// String is a quoted string, with its c prefix where it has one.
	String
	// Punct is a single character of punctuation, or "...".
	Punct
)

// Token is one piece of a line. Its text is a part of that line.
type Token struct {
	Kind Kind
	// Space tells that white space stood before the token.
	Space bool
	Text  string
}

// Is reports whether the token is the word or punctuation s.
func (t Token) Is(s string) bool { return (t.Kind == Word || t.Kind == Punct) && t.Text == s }

// Scan appends the tokens of a piece of text to dst. A comment ends it at the
// line's end. Scan never fails: an unfinished string reaches to the end.
func Scan(dst []Token, text string) []Token {
	space := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			space = true
			i++
			continue
		case c == ';':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			return dst
		}
		start, kind := i, Word
		switch {
		case c == '"':
			i, kind = quoted(text, i), String
		case c == 'c' && i+1 < len(text) && text[i+1] == '"':
			i, kind = quoted(text, i+1), String
		case c == '%' || c == '@' || c == '$':
			kind = Local
			if c != '%' {
				kind = Global
			}
			i = name(text, i+1)
		case c == '!' && i+1 < len(text) && nameByte(text[i+1]):
			i, kind = name(text, i+1), Meta
		case c == '#' && i+1 < len(text) && digit(text[i+1]):
			i, kind = name(text, i+1), AttrRef
		case strings.HasPrefix(text[i:], "..."):
			i, kind = i+3, Punct
		case nameByte(c) || c == '+' || c == '#':
			for i++; i < len(text) && (nameByte(text[i]) || text[i] == '+'); i++ {
			}
		default:
			i, kind = i+1, Punct
		}
		dst = append(dst, Token{kind, space, text[start:i]})
		space = false
	}
	return dst
}

func quoted(s string, i int) int {
	if n := strings.IndexByte(s[i+1:], '"'); n >= 0 {
		return i + 1 + n + 1
	}
	return len(s)
}

func name(s string, i int) int {
	if i < len(s) && s[i] == '"' {
		return quoted(s, i)
	}
	for i < len(s) && nameByte(s[i]) {
		i++
	}
	return i
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || digit(c) || c == '_' || c == '.' || c == '-' || c == '$' || c == '\\'
}

// Join writes tokens as text, with a space wherever one stood.
func Join(tokens []Token) string {
	var b strings.Builder
	n := 0
	for _, t := range tokens {
		n += len(t.Text) + 1
	}
	b.Grow(n)
	for i, t := range tokens {
		if t.Space && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// Match returns the index of the token that closes the bracket at i, or
// len(tokens) where none does.
func Match(tokens []Token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		if tokens[i].Kind != Punct {
			continue
		}
		switch tokens[i].Text {
		case "(", "[", "{", "<":
			depth++
		case ")", "]", "}", ">":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}
