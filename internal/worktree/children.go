package worktree

import (
	"bytes"

	"discobot-hooks/internal/gitindex"
)

// children are the names that the index has in one directory, to be found by
// name. Its room is used again for the next.
type children struct {
	list  []child
	slots []int32 // by hash: a place in list and one more, or 0
}

type child struct {
	name   []byte
	lo, hi int // the entries: one, or those below a directory
	isDir  bool
	seen   bool // the directory has it, too
}

// fill takes the entries of a range, whose names have the directory's path
// before them.
func (c *children) fill(entries []gitindex.Entry, lo, hi, path int) {
	c.list = c.list[:0]
	for i := lo; i < hi; {
		next := child{name: entries[i].Name[path:], lo: i, hi: i + 1}
		if slash := bytes.IndexByte(next.name, '/'); slash >= 0 {
			next.hi = endOf(entries, i, hi, path+slash+1)
			next.name, next.isDir = next.name[:slash], true
		}
		c.list = append(c.list, next)
		i = next.hi
	}
}

// index makes the names ready to be found.
func (c *children) index() error {
	size := 16
	for size < 2*len(c.list) {
		size *= 2
	}
	if cap(c.slots) < size {
		c.slots = make([]int32, size)
	}
	c.slots = c.slots[:size]
	clear(c.slots)
	for i := range c.list {
		slot := c.slot(c.list[i].name)
		if *slot != 0 {
			return errTwice
		}
		*slot = int32(i + 1)
	}
	return nil
}

// endOf is where the entries end that have the first bytes of their names in
// common with that at i. Most directories are small: it looks in growing steps.
func endOf(entries []gitindex.Entry, i, hi, common int) int {
	prefix := entries[i].Name[:common]
	step := 1
	for i+step < hi && bytes.HasPrefix(entries[i+step].Name, prefix) {
		i += step
		step *= 2
	}
	// entries[i] has it; what is beyond i+step has not.
	for end := min(hi, i+step); i+1 < end; {
		middle := int(uint(i+end) / 2)
		if bytes.HasPrefix(entries[middle].Name, prefix) {
			i = middle
		} else {
			end = middle
		}
	}
	return i + 1
}

// find is the child of a name, or nil.
func (c *children) find(name []byte) *child {
	if len(c.list) == 0 {
		return nil
	}
	if slot := *c.slot(name); slot != 0 {
		return &c.list[slot-1]
	}
	return nil
}

// slot is where a name stands in the table, or would.
func (c *children) slot(name []byte) *int32 {
	hash := uint32(2166136261) // FNV-1a
	for _, b := range name {
		hash = (hash ^ uint32(b)) * 16777619
	}
	mask := uint32(len(c.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if at := c.slots[i]; at == 0 || bytes.Equal(c.list[at-1].name, name) {
			return &c.slots[i]
		}
	}
}
