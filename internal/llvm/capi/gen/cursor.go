package main

import (
	"errors"
	"fmt"
	"slices"
)

func (p *parser) peek() string {
	if p.pos < len(p.tokens) {
		return p.tokens[p.pos]
	}
	return ""
}

func (p *parser) next() string {
	t := p.peek()
	p.pos++
	return t
}

func (p *parser) accept(t string) bool {
	if p.peek() == t {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(t string) error {
	if got := p.next(); got != t {
		return fmt.Errorf("want %q, got %q", t, got)
	}
	return nil
}

func (p *parser) skipPast(t string) error {
	i := slices.Index(p.tokens[p.pos:], t)
	if i < 0 {
		return errors.New("no closing " + t)
	}
	p.pos += i + 1
	return nil
}

// skipTo passes the next t outside braces.
func (p *parser) skipTo(t string) error {
	depth := 0
	for p.pos < len(p.tokens) {
		switch got := p.next(); {
		case got == "{":
			depth++
		case got == "}":
			depth--
		case got == t && depth == 0:
			return nil
		}
	}
	return errors.New("no closing " + t)
}

func (p *parser) skipBody() error {
	if err := p.skipPast("{"); err != nil {
		return err
	}
	for depth := 1; depth > 0; {
		switch p.next() {
		case "{":
			depth++
		case "}":
			depth--
		case "":
			return errors.New("body without an end")
		}
	}
	return nil
}
