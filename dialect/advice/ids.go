package advice

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"discobot-hooks/internal/safename"
)

const (
	idInfix    = "-adv"
	idRandom   = 6
	idAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	idPrefix   = "bd"
)

// readIDs reads the ids of all issues, those of closed ones too.
func readIDs(from io.Reader) (map[string]bool, error) {
	ids := make(map[string]bool)
	err := eachLine(from, func(_ int, line []byte, _ bool) {
		id, ok := firstID(line)
		switch {
		case ok && !escapesLetters(line) && isIssue(line):
			ids[string(id)] = true
		case len(line) > 0:
			if a, err := decode(line); err == nil {
				ids[a.ID] = true
			}
		}
	})
	return ids, err
}

// newID chooses the id of an advice among others: wanted, or one that looks
// like theirs.
func newID(wanted string, taken map[string]bool) (string, error) {
	if wanted != "" {
		if taken[wanted] {
			return "", fmt.Errorf("id %s is taken: choose another, or leave it to us", wanted)
		}
		return wanted, nil
	}
	prefix := commonPrefix(taken)
	for {
		var id strings.Builder
		id.WriteString(prefix + idInfix + "-")
		for range idRandom {
			id.WriteByte(idAlphabet[rand.IntN(len(idAlphabet))])
		}
		if !taken[id.String()] { // which 2 thousand million others are not
			return id.String(), nil
		}
	}
}

// commonPrefix is what most ids begin with: the text before the last hyphen,
// without what we put there ourselves.
func commonPrefix(ids map[string]bool) string {
	counts := make(map[string]int)
	for id := range ids {
		if i := strings.LastIndexByte(id, '-'); i > 0 {
			prefix := strings.TrimRight(strings.TrimSuffix(id[:i], idInfix), "-")
			counts[prefix]++
		}
	}
	best := idPrefix
	for _, prefix := range slices.Sorted(maps.Keys(counts)) {
		longest := prefix + idInfix + "-" + strings.Repeat("x", idRandom)
		if counts[prefix] > counts[best] && safename.Is(longest, idMax) {
			best = prefix
		}
	}
	return best
}
