package frontmatter

import (
	"maps"
	"slices"
	"strings"
)

// otherNames are what people call our keys elsewhere.
var otherNames = map[string]string{
	"exclude": "ignore", "glob": "pattern", "files": "pattern", "event": "type", "user": "run_as", "env": "pass_env",
}

// didYouMean ends a message about an unknown key.
func didYouMean(key string) string {
	bare := bareKey(key)
	if known, ok := otherNames[bare]; ok {
		return ": did you mean " + known + "?"
	}
	for _, known := range slices.Sorted(maps.Keys(keys)) {
		most := 2
		if len(known) < 6 {
			most = 1
		}
		if distance(bare, bareKey(known)) <= most {
			return ": did you mean " + known + "?"
		}
	}
	return ", which does nothing: take it out"
}

// bareKey is a key without what people vary.
func bareKey(key string) string {
	if len(key) > 32 {
		key = key[:32]
	}
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(key))
}

// distance is how many characters differ between a and b, after Levenshtein.
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
