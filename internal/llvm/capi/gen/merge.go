package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

func addTargets(a *api) {
	for _, target := range targets {
		for _, part := range targetParts {
			if !targetLacks[target+part] {
				a.functions = append(a.functions, &function{
					name: "LLVMInitialize" + target + part, header: "Target", result: ctype{base: "void"},
				})
			}
		}
	}
}

// merge unites the versions' declarations, the newest one's order first. Two
// that disagree on a signature or a value are an error.
func merge(apis []*api) (*api, error) {
	newest := apis[len(apis)-1]
	m := &api{values: map[string]int64{}, kinds: map[string]string{}}
	functions := map[string]*function{}
	enums := map[string]*enum{}
	var problems []error
	for i := len(apis) - 1; i >= 0; i-- {
		a := apis[i]
		for name, kind := range a.kinds {
			m.kinds[name] = kind
		}
		m.handles = union(m.handles, a.handles)
		m.words = union(m.words, a.words)
		m.callbacks = union(m.callbacks, a.callbacks)
		m.integers = union(m.integers, a.integers)
		m.records = union(m.records, a.records)
		for _, e := range a.enums {
			have := enums[e.name]
			if have == nil {
				have = &enum{name: e.name}
				enums[e.name] = have
				m.enums = append(m.enums, have)
			}
			for _, c := range e.constants {
				v, known := m.values[c]
				if known && v != a.values[c] {
					if !movedConstants[e.name] {
						problems = append(problems, fmt.Errorf("%s is %d and %d", c, v, a.values[c]))
					}
					continue
				}
				if !known && movedConstants[e.name] && a != newest {
					continue
				}
				m.values[c] = a.values[c]
				if !slices.Contains(have.constants, c) {
					have.constants = append(have.constants, c)
				}
			}
		}
		for _, f := range a.functions {
			have := functions[f.name]
			if have == nil {
				have = &function{name: f.name, header: f.header, result: f.result, params: f.params}
				functions[f.name] = have
				m.functions = append(m.functions, have)
			} else if !changedSignatures[f.name] && !sameSignature(have, f) {
				problems = append(problems, fmt.Errorf("%s has changed: %v %v and %v %v", f.name, have.result, have.params, f.result, f.params))
			}
			have.versions |= 1 << i
		}
	}
	return m, errors.Join(problems...)
}

func sameSignature(f, g *function) bool {
	types := func(f *function) []ctype {
		t := []ctype{f.result}
		for _, p := range f.params {
			p.typ.constant = p.typ.constant && p.typ.base == "char"
			p.typ.array = false
			t = append(t, p.typ)
		}
		return t
	}
	return reflect.DeepEqual(types(f), types(g))
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
