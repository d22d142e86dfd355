package cpu

import "sync"

// numbering gives each of the process's devices the lowest number that is free.
type numbering struct {
	mu    sync.Mutex
	taken map[int]bool
}

var numbers = numbering{taken: map[int]bool{}}

func (n *numbering) take() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	number := 0
	for n.taken[number] {
		number++
	}
	n.taken[number] = true
	return number
}

func (n *numbering) give(number int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.taken, number)
}
