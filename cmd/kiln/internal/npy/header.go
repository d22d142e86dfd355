package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type header struct {
	descr   string
	fortran bool
	shape   []int
}

// parser reads the Python dictionary of a header: strings, booleans and
// tuples of whole numbers.
type parser struct{ rest string }

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept takes token if it comes next.
func (p *parser) accept(token string) bool {
	p.skip()
	var found bool
	p.rest, found = strings.CutPrefix(p.rest, token)
	return found
}

func (p *parser) text() (string, error) {
	p.skip()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return "", errors.New("a quoted string is missing")
	}
	text, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed {
		return "", errors.New("a string has no end")
	}
	p.rest = rest
	return text, nil
}

func (p *parser) boolean() (bool, error) {
	switch {
	case p.accept("True"):
		return true, nil
	case p.accept("False"):
		return false, nil
	}
	return false, errors.New("neither True nor False")
}

func (p *parser) shape() ([]int, error) {
	if !p.accept("(") {
		return nil, errors.New("the shape is no tuple")
	}
	shape := []int{}
	for !p.accept(")") {
		p.skip()
		end := strings.IndexFunc(p.rest, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 {
			return nil, errors.New("the shape is cut off or holds no number")
		}
		n, err := strconv.Atoi(p.rest[:end])
		if err != nil {
			return nil, err
		}
		p.rest = strings.TrimPrefix(p.rest[end:], "L")
		if shape = append(shape, n); len(shape) > 32 {
			return nil, errors.New("more than 32 dimensions")
		}
		if !p.accept(",") && !strings.HasPrefix(strings.TrimLeft(p.rest, " "), ")") {
			return nil, errors.New("the shape has no comma between numbers")
		}
	}
	return shape, nil
}

func parseHeader(text string) (header, error) {
	var h header
	p := &parser{text}
	if !p.accept("{") {
		return h, errors.New("no dictionary")
	}
	seen := map[string]bool{}
	for !p.accept("}") {
		key, err := p.text()
		if err != nil {
			return h, err
		}
		if !p.accept(":") {
			return h, fmt.Errorf("no value for %q", key)
		}
		if seen[key] {
			return h, fmt.Errorf("%q stands there twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			h.descr, err = p.text()
			if err != nil {
				err = errors.New("structured types are not read")
			}
		case "fortran_order":
			h.fortran, err = p.boolean()
		case "shape":
			h.shape, err = p.shape()
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return h, err
		}
		p.accept(",")
	}
	if p.skip(); p.rest != "" {
		return h, errors.New("text after the dictionary")
	}
	if len(seen) != 3 {
		return h, errors.New("one of descr, fortran_order and shape is missing")
	}
	return h, nil
}
