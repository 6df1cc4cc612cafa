package registry

import (
	"slices"
	"strings"
)

// otherNames are what people call the format's keys elsewhere.
var otherNames = map[string]string{
	"description": "summary", "event": "event_type", "events": "event_type", "env": "environments", "name": "id",
	"run": "handler", "script": "handler", "type": "kind",
}

// didYouMean ends a message about an unknown key.
func didYouMean(key string, known []string) string {
	key = strings.ToLower(strings.ReplaceAll(key[:min(len(key), 32)], "-", "_"))
	if other := otherNames[key]; slices.Contains(known, other) {
		return ": did you mean " + other + "?"
	}
	for _, name := range known {
		if distance(key, name) <= min(2, len(name)/3) {
			return ": did you mean " + name + "?"
		}
	}
	return ", which does nothing: take it out"
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
