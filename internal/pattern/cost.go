package pattern

// The cost of a pattern is how many steps it takes on the worst path of
// maxPath bytes, each about 5 ns; budget is what a whole Match may take.
const (
	budget  = 400_000
	maxPath = 4 << 10

	// maxNames is how many names such a path has at most.
	maxNames = maxPath / 2
)

func (m *Matcher) cost() int {
	sum := 0
	for _, it := range m.include {
		sum += it.cost()
	}
	for _, it := range m.exclude {
		sum += it.cost()
	}
	return sum
}

func (it item) cost() int {
	sum := 0
	for _, a := range it.alternatives {
		sum += a.cost()
	}
	return sum
}

func (a alternative) cost() int {
	sum := 8
	last := len(a.groups) - 1
	for i, group := range a.groups {
		for _, s := range group {
			sum += s.cost()
			if i == 0 || i == last {
				continue
			}
			// Held against each name, its ends against the ends of each.
			if sum += 2 * maxNames; !s.plain() {
				sum += 2*maxNames + maxPath
			}
		}
	}
	if last > 0 {
		sum += maxNames // for `**` to pass over
	}
	return sum
}

func (s segment) cost() int {
	last := len(s.pieces) - 1
	sum, slowest := 0, 0
	for i, p := range s.pieces {
		switch {
		case i == 0 || i == last:
			sum += 2 + p.steps() + p.chars/8
		case p.glob == nil:
			slowest = max(slowest, maxPath/4)
		default:
			// The pieces share the name: each place in it is tried for one.
			slowest = max(slowest, maxPath*(3+p.steps()))
		}
		sum += p.chars / 8
	}
	return sum + slowest
}

// steps is what one try at one place takes.
func (p piece) steps() int {
	if p.glob == nil {
		return 1
	}
	return 2 * p.parts
}
