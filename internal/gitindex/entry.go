package gitindex

import (
	"bytes"
	"encoding/binary"
)

// A nameReader reads one entry after the other: those of version 4 are told by
// the difference to the name before.
type nameReader struct {
	version int
	last    []byte
	room    []byte // for names that have to be put together
}

// The flags of an entry.
const (
	flagAssumeValid = 0x8000
	flagExtended    = 0x4000
	flagStage       = 0x3000
	maskLength      = 0x0fff

	moreSkipWorktree = 0x4000
	moreIntentToAdd  = 0x2000
)

// entry reads the one that begins at a position, and tells where the next does.
func (r *nameReader) entry(body []byte, at int) (Entry, int, error) {
	if len(body)-at < fixedBytes {
		return Entry{}, 0, errShort
	}
	e := Entry{fixed: (*[fixedBytes]byte)(body[at:])}
	pos := at + fixedBytes
	if e.flags()&flagStage != 0 {
		return Entry{}, 0, errStage
	}
	if e.flags()&flagExtended != 0 {
		if r.version < 3 || len(body)-pos < 2 {
			return Entry{}, 0, errFlags
		}
		e.more = binary.BigEndian.Uint16(body[pos:])
		if pos += 2; e.more&^(moreSkipWorktree|moreIntentToAdd) != 0 {
			return Entry{}, 0, errFlags
		}
	}
	if mode := e.Mode(); mode != ModeRegular && mode != ModeExecutable && mode != ModeSymlink {
		return Entry{}, 0, errMode
	}
	name, next, err := r.name(body, at, pos)
	if err != nil {
		return Entry{}, 0, err
	}
	long := len(name) >= maskLength && e.flags()&maskLength == maskLength
	if len(name) == 0 || !long && len(name) != int(e.flags()&maskLength) {
		return Entry{}, 0, errName
	}
	e.Name, r.last = name, name
	return e, next, nil
}

// name reads the name of the entry that began at start.
func (r *nameReader) name(body []byte, start, pos int) (name []byte, next int, err error) {
	if r.version == 4 {
		return r.shared(body, pos)
	}
	length := bytes.IndexByte(body[pos:], 0)
	if length < 0 {
		return nil, 0, errShort
	}
	end := pos + length
	// Zeros up to a multiple of eight bytes, one at least.
	if next = start + (end-start)/8*8 + 8; next > len(body) {
		return nil, 0, errShort
	}
	for _, zero := range body[end:next] {
		if zero != 0 {
			return nil, 0, errName
		}
	}
	return body[pos:end:end], next, nil
}

// shared reads a name of version 4: how much to take off the name before, and
// what to put there.
func (r *nameReader) shared(body []byte, pos int) (name []byte, next int, err error) {
	cut, pos, ok := offset(body, pos)
	if !ok || cut > len(r.last) {
		return nil, 0, errName
	}
	length := bytes.IndexByte(body[pos:], 0)
	if length < 0 {
		return nil, 0, errShort
	}
	kept := r.last[:len(r.last)-cut]
	size := len(kept) + length
	if cap(r.room)-len(r.room) < size {
		r.room = make([]byte, 0, max(64<<10, size)) // names that were read keep the old one
	}
	from := len(r.room)
	r.room = append(append(r.room, kept...), body[pos:pos+length]...)
	return r.room[from:len(r.room):len(r.room)], pos + length + 1, nil
}

// offset reads a number in the encoding of pack files' offsets.
func offset(body []byte, pos int) (value, next int, ok bool) {
	for ; pos < len(body) && value < 1<<24; pos++ {
		c := body[pos]
		value = value<<7 + int(c&0x7f)
		if c&0x80 == 0 {
			return value, pos + 1, true
		}
		value++
	}
	return 0, 0, false
}

func (e Entry) field(n int) uint32 { return binary.BigEndian.Uint32(e.fixed[4*n:]) }
func (e Entry) flags() uint16      { return binary.BigEndian.Uint16(e.fixed[40+idBytes:]) }

// A Stamp is what stat(2) said of a file when git last saw it equal to its
// entry. Numbers are cut to 32 bits. All are zero where git did not look.
type Stamp struct {
	CtimeSec, CtimeNsec, MtimeSec, MtimeNsec uint32
	Dev, Ino, UID, GID, Size                 uint32
}

// Stamp decodes the entry's.
func (e Entry) Stamp() Stamp {
	return Stamp{e.field(0), e.field(1), e.field(2), e.field(3), e.field(4), e.field(5), e.field(7), e.field(8), e.field(9)}
}

// Mode is the entry's kind of file: [ModeRegular] and so on.
func (e Entry) Mode() uint32 { return e.field(6) }

// ID is the blob's, 20 bytes.
func (e Entry) ID() []byte { return e.fixed[40 : 40+idBytes] }

// AssumeUnchanged tells that git was told not to look at the file
// (git-update-index(1)).
func (e Entry) AssumeUnchanged() bool { return e.flags()&flagAssumeValid != 0 }

// SkipWorktree tells that the file need not be there (git-update-index(1)).
func (e Entry) SkipWorktree() bool { return e.more&moreSkipWorktree != 0 }

// IntentToAdd tells that the path alone was added (git add -N).
func (e Entry) IntentToAdd() bool { return e.more&moreIntentToAdd != 0 }
