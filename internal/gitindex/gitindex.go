// Package gitindex reads git's index: the versions 2, 3 and 4 of
// gitformat-index(5), with SHA-1 ids.
//
// Start with [Parse]. It refuses whatever it does not know for certain, so
// that its caller asks git: a split or sparse index, an extension that it has
// not heard of, conflicts, submodules, entries out of order. It does not check
// the sum at the end, as git does not.
package gitindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// An Index is what git has staged, and what it saw of each file when it did.
type Index struct {
	Version int
	Entries []Entry // in byte order of their names, each name once

	// Tree is the id of the tree that the entries would be committed as, nil
	// where git has not written that down.
	Tree []byte

	// Sum is of all other bytes, so that an equal one means an equal index. It
	// is nil where git was told not to compute it (index.skipHash).
	Sum []byte
}

// An Entry is one tracked file. It shares the memory that was parsed.
type Entry struct {
	Name  []byte // from the top of the work tree, slash-separated
	fixed *[fixedBytes]byte
	more  uint16 // the extended flags
}

const (
	idBytes     = 20
	headerBytes = 12
	fixedBytes  = 40 + idBytes + 2 // stamps, id, flags
	smallest    = fixedBytes + 2   // an entry: a name of one byte and its end
)

// The modes of an entry; there are no others that [Parse] takes.
const (
	ModeRegular    = 0o100644
	ModeExecutable = 0o100755
	ModeSymlink    = 0o120000
)

// What an index must not have for its answer to be certain.
var (
	errHeader   = errors.New("not an index of version 2, 3 or 4")
	errShort    = errors.New("it ends too early")
	errName     = errors.New("a name is not as its length says")
	errOrder    = errors.New("its names are not in order")
	errStage    = errors.New("it has conflicts")
	errMode     = errors.New("it has a submodule, a directory or an unknown kind of file")
	errFlags    = errors.New("it has flags that are not known")
	errTree     = errors.New("its tree extension is not as it should be")
	errTrailing = errors.New("bytes follow the last extension")
)

// Parse reads a whole index file. The answer shares its memory.
func Parse(data []byte) (*Index, error) {
	if len(data) < headerBytes+idBytes || string(data[:4]) != "DIRC" {
		return nil, errHeader
	}
	ix := &Index{Version: int(binary.BigEndian.Uint32(data[4:]))}
	if ix.Version < 2 || ix.Version > 4 {
		return nil, errHeader
	}
	body, sum := data[:len(data)-idBytes], data[len(data)-idBytes:]
	if !bytes.Equal(sum, make([]byte, idBytes)) {
		ix.Sum = sum
	}
	count := binary.BigEndian.Uint32(data[8:])
	rest, err := ix.entries(body, int64(count))
	if err != nil {
		return nil, fmt.Errorf("parse index: %w", err)
	}
	if err := ix.extensions(rest); err != nil {
		return nil, fmt.Errorf("parse index: %w", err)
	}
	return ix, nil
}

// entries reads the entries and returns what follows them.
func (ix *Index) entries(body []byte, count int64) ([]byte, error) {
	if count > int64(len(body)/smallest) {
		return nil, errShort
	}
	ix.Entries = make([]Entry, 0, count)
	names := nameReader{version: ix.Version}
	at := headerBytes
	for range count {
		entry, next, err := names.entry(body, at)
		if err != nil {
			return nil, err
		}
		if n := len(ix.Entries); n > 0 && bytes.Compare(ix.Entries[n-1].Name, entry.Name) >= 0 {
			return nil, errOrder
		}
		ix.Entries = append(ix.Entries, entry)
		at = next
	}
	return body[at:], nil
}

// extensions reads what we need of them and refuses unknown ones, the
// optional too: we could not tell whether what they say matters.
func (ix *Index) extensions(rest []byte) error {
	for len(rest) > 0 {
		if len(rest) < 8 {
			return errTrailing
		}
		name, size := string(rest[:4]), int64(binary.BigEndian.Uint32(rest[4:]))
		if rest = rest[8:]; size > int64(len(rest)) {
			return errShort
		}
		switch name {
		case "TREE":
			if err := ix.cacheTree(rest[:size]); err != nil {
				return err
			}
		case "REUC", "UNTR", "FSMN", "EOIE", "IEOT": // say how to undo or to be quick
		default:
			return fmt.Errorf("the extension %q is not known", name)
		}
		rest = rest[size:]
	}
	return nil
}

// cacheTree reads the first entry of the cache tree, the root's: an empty
// path, the number of entries or -1, the number of subtrees, the id.
func (ix *Index) cacheTree(data []byte) error {
	path, data, _ := bytes.Cut(data, []byte{0})
	count, data, found := bytes.Cut(data, []byte{' '})
	_, id, ended := bytes.Cut(data, []byte{'\n'})
	if len(path) > 0 || len(count) == 0 || !found || !ended {
		return errTree
	}
	if count[0] == '-' {
		return nil
	}
	if len(id) < idBytes || string(count) != strconv.Itoa(len(ix.Entries)) {
		return errTree
	}
	ix.Tree = id[:idBytes]
	return nil
}
