package spmd

import (
	"fmt"
	"strconv"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// node adds a metadata node and returns its number.
func (l *lowering) node(text string) int {
	if l.nextNode == 0 {
		l.nextNode = 1
		for _, e := range l.module.Metadata {
			if n, err := strconv.Atoi(e.Name[1:]); err == nil && n >= l.nextNode {
				l.nextNode = n + 1
			}
		}
	}
	n := l.nextNode
	l.nextNode++
	name := fmt.Sprintf("!%d", n)
	l.module.Metadata = append(l.module.Metadata, irtext.Entity{Name: name, Line: name + " = " + text})
	return n
}

// loopNode adds the properties of one loop and returns the node's number.
func (l *lowering) loopNode(flag string) int {
	if l.flags == nil {
		l.flags = map[string]int{}
	}
	property, ok := l.flags[flag]
	if !ok {
		property = l.node(fmt.Sprintf("!{!%q}", flag))
		l.flags[flag] = property
	}
	self := l.nextNode
	return l.node(fmt.Sprintf("distinct !{!%d, !%d}", self, property))
}
