package worktree

import (
	"encoding/binary"
	"slices"
	"sort"
	"time"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/gitindex"
)

// A Seal is a hash of a path, its stamps, and what was found out about it,
// which holds while the stamps are the same. 0 is none: the stamps prove
// nothing.
type Seal uint64

// Seals is a set of them, to be kept for later looks: of eight bytes each, in
// ascending order. It only saves time: with another set, or none, the same is
// found.
type Seals []byte

const sealBytes = 8

// Has tells whether a seal is in the set.
func (e Seals) Has(s Seal) bool {
	at := func(i int) Seal { return Seal(binary.BigEndian.Uint64(e[i*sealBytes:])) }
	n := len(e) / sealBytes
	i := sort.Search(n, func(i int) bool { return at(i) >= s })
	return s != 0 && i < n && at(i) == s
}

// fewFresh is how many things are rather found out again each time than noted:
// a note has to be written to disk.
const fewFresh = 8

// Renew is the set of those that are good now, of which some are fresh. While
// these are few, it is the old set, to the byte.
func (e Seals) Renew(seals []Seal, fresh int) Seals {
	if n := len(e) / sealBytes; fresh == 0 || n > 0 && fresh <= fewFresh+n/64 {
		return e
	}
	slices.Sort(seals)
	renewed := make(Seals, 0, len(seals)*sealBytes)
	for _, s := range seals {
		renewed = binary.BigEndian.AppendUint64(renewed, uint64(s))
	}
	return renewed
}

// seal begins with what is the same for files and directories.
func seal(path string, stat *unix.Stat_t) Seal {
	var stamps [7 * 8]byte
	for i, n := range []uint64{
		uint64(stat.Mtim.Sec), uint64(stat.Mtim.Nsec), uint64(stat.Ctim.Sec), uint64(stat.Ctim.Nsec),
		uint64(stat.Ino), uint64(stat.Dev), uint64(stat.Mode),
	} {
		binary.BigEndian.PutUint64(stamps[i*8:], n)
	}
	return Seal(14695981039346656037).with(stamps[:]).with([]byte(path))
}

// with is FNV-1a.
func (s Seal) with(more []byte) Seal {
	for _, b := range more {
		s = (s ^ Seal(b)) * 1099511628211
	}
	return s
}

// sealFile is of a file whose content is an entry's.
func sealFile(entry gitindex.Entry, stat *unix.Stat_t) Seal {
	return seal(string(entry.Name), stat).with([]byte{0}).with(entry.ID())
}

// A clock is when a look began.
type clock struct{ begun time.Time }

// settled tells whether stamps will be others when the file or directory
// changes from now on: not if it changed within the tick in which we look.
func (c clock) settled(stat *unix.Stat_t) bool {
	tick := fineTick
	if stat.Mtim.Nsec == 0 || stat.Ctim.Nsec == 0 {
		tick = coarseTick
	}
	before := c.begun.Add(-tick)
	return time.Unix(stat.Mtim.Unix()).Before(before) && time.Unix(stat.Ctim.Unix()).Before(before)
}
