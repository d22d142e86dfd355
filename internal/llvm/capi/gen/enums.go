package main

import (
	"fmt"
	"strconv"
)

// enumeration parses enum [name] { ... } [name];
func (p *parser) enumeration() error {
	if err := p.expect("enum"); err != nil {
		return err
	}
	e := &enum{}
	if p.peek() != "{" {
		e.name = p.next()
	}
	if err := p.expect("{"); err != nil {
		return err
	}
	next := int64(0)
	for !p.accept("}") {
		name := p.next()
		if p.accept("=") {
			v, err := p.or()
			if err != nil {
				return fmt.Errorf("value of %s: %w", name, err)
			}
			next = v
		}
		p.values[name] = next
		e.constants = append(e.constants, name)
		next++
		if !p.accept(",") && p.peek() != "}" {
			return fmt.Errorf("after enumerator %s", name)
		}
	}
	if p.peek() != ";" {
		e.name = p.next()
	}
	if e.name != "" {
		p.kinds[e.name] = "enum"
	}
	p.enums = append(p.enums, e)
	return p.expect(";")
}

func (p *parser) or() (int64, error) {
	v, err := p.shift()
	for err == nil && p.accept("|") {
		var w int64
		w, err = p.shift()
		v |= w
	}
	return v, err
}

func (p *parser) shift() (int64, error) {
	v, err := p.unary()
	for err == nil && p.accept("<<") {
		var w int64
		w, err = p.unary()
		v <<= w
	}
	return v, err
}

func (p *parser) unary() (int64, error) {
	switch t := p.next(); {
	case t == "-":
		v, err := p.unary()
		return -v, err
	case t == "(":
		v, err := p.or()
		if err != nil {
			return 0, err
		}
		return v, p.expect(")")
	case number.MatchString(t):
		return strconv.ParseInt(t, 0, 64)
	default:
		v, ok := p.values[t]
		if !ok {
			return 0, fmt.Errorf("no value: %s", t)
		}
		return v, nil
	}
}
