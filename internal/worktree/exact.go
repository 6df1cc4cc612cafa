package worktree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"golang.org/x/sys/unix"
)

// Exact is a set of directories that hold no names but the index's: a seal of
// each, of [sealBytes], in ascending order. It only saves time: a look with
// another set, or none, finds the same.
type Exact []byte

const sealBytes = 8

// A seal is a hash of a directory's path and stamps, and of the names that the
// index has in it. The stamps change when a name comes or goes. So an equal
// seal says that the directory holds no others still. 0 is none.
type seal uint64

func (e Exact) has(s seal) bool {
	at := func(i int) seal { return seal(binary.BigEndian.Uint64(e[i*sealBytes:])) }
	n := len(e) / sealBytes
	i := sort.Search(n, func(i int) bool { return at(i) >= s })
	return i < n && at(i) == s
}

// exactness is an Exact at work, in one Find.
type exactness struct {
	given  Exact
	seals  []seal // of the directories that are exact now
	fresh  int    // how many of them were not given
	device uint64
	begun  time.Time
	off    bool // names may change here, and the stamps not
}

var errGone = errors.New("there is no such directory any more")

func (x *exactness) begin(top int, given Exact) error {
	var stat unix.Stat_t
	if err := unix.Fstat(top, &stat); err != nil {
		return fmt.Errorf("look at the work tree: %w", err)
	}
	*x = exactness{given: given, device: uint64(stat.Dev), begun: time.Now(), off: !stampsNames(top)}
	return nil
}

// ask tells whether a directory is known to hold no names but these. If not,
// the seal is for when it turns out so.
func (x *exactness) ask(top int, path string, list []child) (seal, bool, error) {
	if x.off || len(list) == 0 {
		return 0, false, nil
	}
	if path == "" {
		path = "./"
	}
	var stat unix.Stat_t
	err := unix.Fstatat(top, path[:len(path)-1], &stat, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == unix.ENOENT || err == unix.ENOTDIR || err == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR:
		return 0, false, errGone
	case err != nil:
		return 0, false, fmt.Errorf("look at %s: %w", path, err)
	case uint64(stat.Dev) != x.device || !x.settled(&stat):
		return 0, false, nil
	}
	s := sealOf(path, &stat, list)
	if s != 0 && x.given.has(s) {
		x.seals = append(x.seals, s)
		return 0, true, nil
	}
	return s, false, nil
}

// settled tells whether a directory's stamps will be others if a name comes or
// goes from now on: not if it changed within the tick in which we look.
func (x *exactness) settled(stat *unix.Stat_t) bool {
	tick := fineTick
	if stat.Mtim.Nsec == 0 || stat.Ctim.Nsec == 0 {
		tick = coarseTick
	}
	before := x.begun.Add(-tick)
	return time.Unix(stat.Mtim.Unix()).Before(before) && time.Unix(stat.Ctim.Unix()).Before(before)
}

// sealOf is FNV-1a.
func sealOf(path string, stat *unix.Stat_t, list []child) seal {
	hash := uint64(14695981039346656037)
	add := func(b byte) { hash = (hash ^ uint64(b)) * 1099511628211 }
	var stamps [6 * 8]byte
	for i, n := range []uint64{
		uint64(stat.Mtim.Sec), uint64(stat.Mtim.Nsec), uint64(stat.Ctim.Sec), uint64(stat.Ctim.Nsec), uint64(stat.Ino), uint64(stat.Dev),
	} {
		binary.BigEndian.PutUint64(stamps[i*8:], n)
	}
	for _, b := range stamps {
		add(b)
	}
	for i := range len(path) {
		add(path[i])
	}
	for i := range list {
		add(0)
		if list[i].isDir {
			add('/')
		}
		for _, b := range list[i].name {
			add(b)
		}
	}
	return seal(hash)
}

// add takes the seal of a directory that turned out exact.
func (x *exactness) add(s seal) {
	if s != 0 {
		x.seals = append(x.seals, s)
		x.fresh++
	}
}

// fewFresh is how many directories are rather read again each time than noted:
// a note has to be written to disk.
const fewFresh = 8

// end is what is known now. While it is little more than what was given, it is
// that, to the byte.
func (x *exactness) end() Exact {
	if given := len(x.given) / sealBytes; x.fresh == 0 || given > 0 && x.fresh <= fewFresh+given/64 {
		return x.given
	}
	slices.Sort(x.seals)
	e := make(Exact, 0, len(x.seals)*sealBytes)
	for _, s := range x.seals {
		e = binary.BigEndian.AppendUint64(e, uint64(s))
	}
	return e
}
