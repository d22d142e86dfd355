package image

import "bytes"

// isTextIR tells LLVM assembly from other text by its first top-level entity.
// A file of comments alone is IR only where the printer's own first line says so.
func isTextIR(b []byte) bool {
	b = trimBOM(b)
	printed := false
	for {
		b = bytes.TrimLeft(b, " \t\r\n\f\v")
		if len(b) == 0 || b[0] != ';' {
			break
		}
		line, rest, _ := bytes.Cut(b, []byte{'\n'})
		printed = printed || bytes.HasPrefix(line, []byte("; ModuleID ="))
		b = rest
	}
	if len(b) == 0 {
		return printed
	}
	switch b[0] {
	case '@':
		_, ok := definition(b[1:])
		return ok
	case '%':
		value, ok := definition(b[1:])
		return ok && keyword(value, "type")
	case '$':
		value, ok := definition(b[1:])
		return ok && keyword(value, "comdat")
	case '!':
		value, ok := definition(b[1:])
		return ok && (hasPrefix(value, "!") || keyword(value, "distinct"))
	case '^':
		_, ok := definition(b[1:])
		return ok
	}
	if rest, ok := afterKeyword(b, "target"); ok {
		return keyword(rest, "datalayout") || keyword(rest, "triple")
	}
	if rest, ok := afterKeyword(b, "module"); ok {
		return keyword(rest, "asm")
	}
	if rest, ok := afterKeyword(b, "attributes"); ok {
		return hasPrefix(rest, "#")
	}
	if rest, ok := afterKeyword(b, "source_filename"); ok {
		return hasPrefix(rest, "=")
	}
	return keyword(b, "define") || keyword(b, "declare")
}

// definition returns what follows the equals sign of "name = …", given the text
// after the sigil. A name is quoted or made of the identifier characters of IR.
func definition(b []byte) (value []byte, ok bool) {
	n := 0
	if hasPrefix(b, `"`) {
		end := bytes.IndexByte(b[1:], '"')
		if end < 0 {
			return nil, false
		}
		n = end + 2
	} else {
		for n < len(b) && isIdentifier(b[n]) {
			n++
		}
	}
	if n == 0 {
		return nil, false
	}
	rest := bytes.TrimLeft(b[n:], " \t")
	if !hasPrefix(rest, "=") {
		return nil, false
	}
	return bytes.TrimLeft(rest[1:], " \t\r\n"), true
}

func keyword(b []byte, word string) bool {
	_, ok := afterKeyword(b, word)
	return ok
}

func afterKeyword(b []byte, word string) (rest []byte, ok bool) {
	if !hasPrefix(b, word) || len(b) > len(word) && isIdentifier(b[len(word)]) {
		return nil, false
	}
	return bytes.TrimLeft(b[len(word):], " \t\r\n"), true
}

func isIdentifier(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '_' || c == '.' || c == '-' || c == '$' || c == '\\'
}
