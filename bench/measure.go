package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

const warmUps = 10 // runs of each that do not count: they fill the page cache

// A pair is two commands that are compared.
type pair struct {
	name   string
	a      command
	than   string
	b      command
	wanted string // what the project aims at for the two, if anything
}

// A measurement is what the runs of a pair took; the values of one index
// are those of neighbouring runs.
type measurement struct{ a, b []time.Duration }

// measure runs the two in turn, so that what else the machine does falls on
// both.
func (at place) measure(p pair, runs int) (m measurement, err error) {
	for i := -warmUps; i < runs; i++ {
		a, err := at.time(p.a)
		if err != nil {
			return m, err
		}
		b, err := at.time(p.b)
		if err != nil {
			return m, err
		}
		if i >= 0 {
			m.a, m.b = append(m.a, a), append(m.b, b)
		}
	}
	return m, nil
}

// String is the middle of a line of the table. Each run is compared with its
// neighbour.
func (m measurement) String() string {
	ratios, differences := make([]float64, len(m.a)), make([]time.Duration, len(m.a))
	for i, a := range m.a {
		ratios[i], differences[i] = float64(a)/float64(m.b[i]), a-m.b[i]
	}
	return fmt.Sprintf("%.2f ms\t%.2f ms\t%.2f\t%.2f..%.2f\t%+.2f ms",
		milliseconds(quantile(m.a, 0.5)), milliseconds(quantile(m.b, 0.5)),
		quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9), milliseconds(quantile(differences, 0.5)))
}

// quantile of at least one value; q is below 1.
func quantile[T cmp.Ordered](values []T, q float64) T {
	return slices.Sorted(slices.Values(values))[int(q*float64(len(values)))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
