package wording

import (
	"slices"
	"strings"
)

// DidYouMean ends a message about an unknown key: with the known one that is
// spelled alike, or that others names so (in lower case, without `_`, `-` and
// `.`).
func DidYouMean(key string, known []string, others map[string]string) string {
	if other := others[bareKey(key)]; slices.Contains(known, other) {
		return ": did you mean " + other + "?"
	}
	if name, ok := Nearest(key, known); ok {
		return ": did you mean " + name + "?"
	}
	return ", which does nothing: take it out"
}

// Nearest is the first known name that is spelled like key, but for case, `_`,
// `-`, `.` and a letter or two.
func Nearest(key string, known []string) (name string, ok bool) {
	bare := bareKey(key)
	for _, name := range known {
		most := 2
		if len(name) < 6 {
			most = 1
		}
		if distance(bare, bareKey(name)) <= most {
			return name, true
		}
	}
	return "", false
}

// bareKey is a key without what people vary.
func bareKey(key string) string {
	if len(key) > 32 {
		key = key[:32]
	}
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(key))
}

// distance is how many bytes differ between a and b, after Levenshtein.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
