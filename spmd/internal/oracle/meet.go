package oracle

// meet gives each lane the result of a warp operation on what all bring.
func meet(s *Stmt, here []*lane) {
	mask, odd := uint32(0), uint32(0)
	for _, l := range here {
		bit := uint32(1) << (l.item % warpSize)
		mask |= bit
		if l.value != 0 {
			odd |= bit
		}
	}
	all := func(result uint32) {
		for _, l := range here {
			l.result = result
		}
	}
	switch s.Kind {
	case "sync":
	case "ballot":
		all(odd)
	case "any":
		all(truth(odd != 0))
	case "all":
		all(truth(odd == mask))
	case "uni":
		all(truth(odd == mask || odd == 0))
	case "match.any", "match.all":
		for _, l := range here {
			same := uint32(0)
			for _, o := range here {
				if o.value == l.value {
					same |= 1 << (o.item % warpSize)
				}
			}
			if s.Kind == "match.all" && same != mask {
				same = 0
			}
			l.result = same
		}
	case "idx", "up", "down", "bfly":
		for _, l := range here {
			l.result = l.value
			from := source(s, l)
			for _, o := range here {
				if o.item%warpSize == from {
					l.result = o.value
				}
			}
		}
	default:
		sum := here[0].value
		for _, l := range here[1:] {
			sum = fold(s.Kind, sum, l.value)
		}
		all(sum)
	}
}

// source is the lane that a shuffle reads for a lane: its own where the one
// asked for lies outside its segment.
func source(s *Stmt, l *lane) int {
	lane, width, by := l.item%warpSize, int(s.Width), int(l.other%warpSize)
	first := lane &^ (width - 1)
	from := lane
	switch s.Kind {
	case "idx":
		from = first + by%width
	case "up":
		from = lane - by
	case "down":
		from = lane + by
	case "bfly":
		from = lane ^ by
		if from < first {
			return from
		}
	}
	if from < first || from >= first+width {
		return lane
	}
	return from
}

// fold is the operation of reductions and atomics.
func fold(op string, a, b uint32) uint32 {
	switch op {
	case "add":
		return a + b
	case "and":
		return a & b
	case "or":
		return a | b
	case "xor":
		return a ^ b
	case "min":
		return uint32(min(int32(a), int32(b)))
	case "max":
		return uint32(max(int32(a), int32(b)))
	case "umin":
		return min(a, b)
	}
	return max(a, b)
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// segment is the last argument of a shuffle: where segments of the width end.
func segment(s *Stmt) uint32 {
	c := uint32(warpSize-s.Width) << 8
	if s.Kind != "up" {
		c |= warpSize - 1
	}
	return c
}
