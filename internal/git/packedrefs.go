package git

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"discobot-hooks/internal/regular"
)

// maxPackedRefs holds some 100 000 refs. Above it git, which searches the file
// by halves, is quicker.
const maxPackedRefs = 8 << 20 // bytes

// packedRef is the id that packed-refs has for a ref. It is empty where there
// is no such ref, and so no commit yet.
func (d gitDirs) packedRef(name string) (string, error) {
	if ownRef(name) {
		return "", fmt.Errorf("read ref %s: it is never packed", name)
	}
	content, err := regular.ReadAll(d.common+"/packed-refs", maxPackedRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	id, err := findPacked(string(content), name)
	if err != nil {
		return "", fmt.Errorf("read packed-refs: %w", err)
	}
	return id, nil
}

// What a packed-refs file must not have for its answer to be certain.
var (
	errPackedLine  = errors.New("a line is not known")
	errPackedEnd   = errors.New("the last line has no end")
	errPackedOrder = errors.New("not sorted, but its header says so")
	errPackedTwice = errors.New("a ref stands twice")
)

// findPacked looks for a ref in the text of packed-refs; the id is empty where
// it is not there. The format is told in git's refs/packed-backend.c: perhaps
// a header, then a line `ID NAME` for each ref, after that of an annotated tag
// another one `^ID`. Each line is looked at, found or not: git searches a file
// that claims to be sorted by halves, and may see other lines than we do.
func findPacked(text, name string) (id string, err error) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return "", errPackedEnd
	}
	if strings.IndexByte(text, '\r') >= 0 || strings.IndexByte(text, 0) >= 0 {
		return "", errPackedLine
	}
	sorted, refs, err := cutPackedHeader(text)
	if err != nil {
		return "", err
	}
	last, peelable := "", false
	for line := range strings.Lines(refs) {
		line = line[:len(line)-1]
		if peeled, ok := strings.CutPrefix(line, "^"); ok {
			if !peelable || !isHash(peeled) {
				return "", errPackedLine
			}
			peelable = false
			continue
		}
		value, ref, ok := strings.Cut(line, " ")
		switch {
		case !ok || !isHash(value) || !strings.HasPrefix(ref, "refs/"):
			return "", errPackedLine
		case sorted && ref <= last:
			return "", errPackedOrder
		case ref == name && id != "":
			return "", errPackedTwice
		case ref == name:
			id = value
		}
		last, peelable = ref, true
	}
	return id, nil
}

// cutPackedHeader cuts off the first line if it is a comment, the one place
// for it, and tells whether it says that the refs are sorted.
func cutPackedHeader(text string) (sorted bool, refs string, err error) {
	if !strings.HasPrefix(text, "#") {
		return false, text, nil
	}
	header, refs, _ := strings.Cut(text, "\n")
	traits, known := strings.CutPrefix(header, "# pack-refs with:")
	if !known {
		return false, "", errPackedLine
	}
	return slices.Contains(strings.Fields(traits), "sorted"), refs, nil
}
