package frontmatter

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxID is the longest id, in bytes: it also names a log, and there `.log`
// and what a temporary file adds must fit.
const maxID = 120

// extensions are what an id does without. One is taken off.
var extensions = []string{".sh", ".bash", ".zsh", ".py", ".js", ".ts", ".rb", ".pl", ".php"}

// assignIDs gives each file name its id; all must be of one directory. The
// first name in byte order keeps an id that several would have. The others
// get a suffix made from their own name, so that it stays when files come and
// go.
func assignIDs(files []string) []string {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(files[a], files[b]) })

	ids := make([]string, len(files))
	taken := make(map[string]bool, len(files))
	for _, i := range order {
		if id := plainID(files[i]); id != "" && len(id) <= maxID && !taken[id] {
			ids[i], taken[id] = id, true
		}
	}
	for _, i := range order {
		if ids[i] == "" {
			ids[i] = suffixedID(files[i], taken)
			taken[ids[i]] = true
		}
	}
	return ids
}

// plainID is what a file name alone gives; it may be empty or too long.
func plainID(file string) string {
	lower := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, file)
	if ext := path.Ext(lower); slices.Contains(extensions, ext) {
		lower = strings.TrimSuffix(lower, ext)
	}
	id := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		case r == '.':
			return '-'
		}
		return -1
	}, lower)
	return strings.Trim(id, "-")
}

// suffixedID is an id that is not taken yet, made longer until it is not.
func suffixedID(file string, taken map[string]bool) string {
	plain := plainID(file)
	if plain == "" {
		plain = "hook"
	}
	for try, data := 1, file; ; try, data = try+1, file+"\x00"+strconv.Itoa(try) {
		sum := sha256.Sum256([]byte(data))
		digest := hex.EncodeToString(sum[:])
		for n := 8; n <= len(digest); n += 8 {
			most := min(len(plain), maxID-len("-")-n)
			id := strings.TrimRight(plain[:most], "-") + "-" + digest[:n]
			if !taken[id] {
				return id
			}
		}
	}
}
