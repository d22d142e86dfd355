package spmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// implicit replaces what an AMDGPU kernel reads of its launch through two
// pointers, to the implicit arguments and to the dispatch packet, by the ids
// and sizes that it means. Both are read by fixed offsets.
type implicit struct {
	at map[string]position
}

type position struct {
	dispatch bool
	offset   int
}

func newImplicit() *implicit { return &implicit{at: map[string]position{}} }

const (
	implicitName = "@kiln.implicitarg"
	dispatchName = "@kiln.dispatch"
)

// line returns what takes a line's place.
func (m *implicit) line(line string, missing *problems) []string {
	if len(m.at) == 0 && !strings.Contains(line, implicitName+"(") && !strings.Contains(line, dispatchName+"(") {
		return []string{line}
	}
	t := irtext.Scan(nil, line)
	if len(t) < 4 || !t[1].Is("=") {
		m.escape(t, missing)
		return []string{line}
	}
	name := t[0].Text
	switch {
	case strings.Contains(line, implicitName+"("):
		m.at[name] = position{}
		return nil
	case strings.Contains(line, dispatchName+"("):
		m.at[name] = position{dispatch: true}
		return nil
	case t[2].Is("bitcast"):
		if p, ok := m.at[t[4].Text]; ok {
			m.at[name] = p
			return nil
		}
	case t[2].Is("getelementptr"):
		i := 3
		for i < len(t) && t[i].Kind == irtext.Word && t[i].Text != "i8" {
			i++
		}
		if i+6 < len(t) && t[i].Is("i8") {
			if p, ok := m.at[t[i+3].Text]; ok {
				n, err := strconv.Atoi(t[i+6].Text)
				if err == nil {
					p.offset += n
					m.at[name] = p
					return nil
				}
			}
		}
	case t[2].Is("load"):
		i := 3
		for i < len(t) && t[i].Is("volatile") {
			i++
		}
		typ, next, err := irtext.Type(t, i)
		if err == nil && next+2 < len(t) {
			if p, ok := m.at[t[next+2].Text]; ok {
				if lines := p.value(name, typ); lines != nil {
					return lines
				}
				missing.add(implicitRead, p.String()+" as "+typ)
				return nil
			}
		}
	}
	m.escape(t, missing)
	return []string{line}
}

// escape notes a use that is not understood.
func (m *implicit) escape(t []irtext.Token, missing *problems) {
	for _, tok := range t {
		if p, ok := m.at[tok.Text]; ok && tok.Kind == irtext.Local {
			missing.add(implicitRead, p.String()+" not by a plain load")
		}
	}
}

func (p position) String() string {
	if p.dispatch {
		return fmt.Sprintf("dispatch packet, byte %d", p.offset)
	}
	return fmt.Sprintf("implicit arguments, byte %d", p.offset)
}

// value returns lines that give name the value at the position, nil where none
// is known.
func (p position) value(name, typ string) []string {
	if n, elem := irtext.Vector(typ); n > 0 {
		return p.vector(name, typ, n, elem)
	}
	wide := part(name, "w")
	size := func(fn string) []string {
		if typ == "i32" {
			return []string{fmt.Sprintf("  %s = call i32 %s()", name, fn)}
		}
		return []string{
			fmt.Sprintf("  %s = call i32 %s()", wide, fn),
			fmt.Sprintf("  %s = trunc nuw i32 %s to i16", name, wide),
		}
	}
	zero := []string{fmt.Sprintf("  %s = add %s 0, 0", name, typ)}
	if p.dispatch {
		switch {
		case typ == "i16" && p.offset >= 4 && p.offset <= 8 && p.offset%2 == 0:
			return size("@kiln.ntid." + "xyz"[(p.offset-4)/2:][:1])
		case typ == "i32" && p.offset >= 12 && p.offset <= 20 && p.offset%4 == 0:
			return size(itemsPrefix + "xyz"[(p.offset-12)/4:][:1])
		}
		return nil
	}
	switch {
	case typ == "i32" && p.offset >= 0 && p.offset <= 8 && p.offset%4 == 0:
		return size("@kiln.nctaid." + "xyz"[p.offset/4:][:1])
	case typ == "i16" && p.offset >= 12 && p.offset <= 16 && p.offset%2 == 0:
		return size("@kiln.ntid." + "xyz"[(p.offset-12)/2:][:1])
	case typ == "i16" && p.offset >= 18 && p.offset <= 22 && p.offset%2 == 0:
		return zero // no group of a launch is smaller than the others
	case typ == "i64" && p.offset >= 40 && p.offset <= 56 && p.offset%8 == 0:
		return zero // no launch has an offset
	case typ == "i16" && p.offset == 64:
		return []string{fmt.Sprintf("  %s = add i16 3, 0", name)}
	}
	return nil
}

// vector is value for several neighbours read at once.
func (p position) vector(name, typ string, n int, elem string) []string {
	var lines []string
	so := "poison"
	for i := range n {
		one, next := part(name, fmt.Sprint("e", i)), part(name, fmt.Sprint("v", i))
		value := p.value(one, elem)
		if value == nil {
			return nil
		}
		if i == n-1 {
			next = name
		}
		lines = append(lines, value...)
		lines = append(lines, fmt.Sprintf("  %s = insertelement %s %s, %s %s, i32 %d", next, typ, so, elem, one, i))
		so = next
		p.offset += irtext.Bits(elem) / 8
	}
	return lines
}

// part names a value that a named one is made of.
func part(name, suffix string) string {
	return `%"` + strings.Trim(name[1:], `"`) + "." + suffix + `"`
}
