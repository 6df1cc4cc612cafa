package filewatch

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"discobot-hooks/internal/git"
	"discobot-hooks/internal/regular"
)

// maxHashed is the size up to which content is compared. Of a larger file
// size, inode and modification time stand for its content: reading gigabytes
// after each turn would cost more than it tells.
const maxHashed = 64 << 20

// raceWindow is how long before a look a file's time stamps prove nothing: a
// write just after it can carry the same one. Two seconds is the tick of the
// coarsest file system in use (FAT).
const raceWindow = 2 * time.Second

// Kind is what a path is. A change of kind or of the executable bit is a
// change, as it is to git.
type Kind string

const (
	kindAbsent     Kind = "absent"
	kindRegular    Kind = "file"
	kindExecutable Kind = "executable"
	kindSymlink    Kind = "symlink"
	kindDirectory  Kind = "directory" // a submodule or a repository inside
	kindOther      Kind = "other"     // socket, device, pipe
)

// An Entry is what was seen of one path.
type Entry struct {
	Kind Kind   `json:"kind"`
	Hash string `json:"hash,omitempty"` // of the content; of a link, its target

	// What lstat(2) says. Equal means equal content, so that the file need
	// not be read again, unless the stamps are too fresh to be trusted.
	Size  int64  `json:"size,omitempty"`
	Inode uint64 `json:"inode,omitempty"`
	Mtime int64  `json:"mtime,omitempty"` // nanoseconds
	Ctime int64  `json:"ctime,omitempty"` // nanoseconds; nobody can set it
}

// same tells whether two entries are no change. The stamps do not count: a
// touched file with equal content has not changed.
func (e Entry) same(before Entry) bool { return e.Kind == before.Kind && e.Hash == before.Hash }

// fresh tells that the entry's stamps are too near to the start of the look that
// saw them, nanoseconds since 1970, to prove anything.
func (e Entry) fresh(started int64) bool {
	return max(e.Mtime, e.Ctime) >= started-int64(raceWindow)
}

// look reads what a path is now, by its time stamps where those prove that
// the last evaluation saw the same.
func (w Watch) look(path string, last *Snapshot) Entry {
	full := filepath.Join(w.Workspace, filepath.FromSlash(path))
	info, ok := lstat(full)
	if !ok {
		return Entry{Kind: kindAbsent}
	}
	entry := w.stamps(info)
	if last != nil {
		before, ok := last.Seen[path]
		hash := before.Hash
		before.Hash = ""
		if ok && !before.fresh(last.Started) && before == entry {
			entry.Hash = hash
			return entry
		}
	}
	entry.Hash = w.contentHash(full, entry)
	return entry
}

func (w Watch) stamps(info os.FileInfo) Entry {
	entry := Entry{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	entry.Inode, entry.Ctime = inodeAndCtime(info)
	switch mode := info.Mode(); {
	case mode.IsRegular() && mode&0o100 != 0 && !w.plainModes: // the owner's bit, as git looks at it
		entry.Kind = kindExecutable
	case mode.IsRegular():
		entry.Kind = kindRegular
	case mode&os.ModeSymlink != 0:
		entry.Kind = kindSymlink
	case mode.IsDir():
		entry.Kind = kindDirectory
	default:
		entry.Kind = kindOther
	}
	return entry
}

// contentHash stands for the content of a file. What cannot be read is told
// apart by its stamps.
func (w Watch) contentHash(full string, entry Entry) string {
	byStamps := fmt.Sprintf("%d-%d-%d", entry.Size, entry.Mtime, entry.Inode)
	switch entry.Kind {
	case kindSymlink:
		target, err := os.Readlink(full)
		if err != nil {
			return byStamps
		}
		sum := sha256.Sum256([]byte(target))
		return hex.EncodeToString(sum[:])
	case kindRegular, kindExecutable:
		if entry.Size > maxHashed {
			return byStamps
		}
		sum := sha256.New()
		if err := hashFile(sum, full); err != nil {
			return byStamps
		}
		return hex.EncodeToString(sum.Sum(nil))
	case kindDirectory:
		return w.repositoryHash(full)
	default:
		return byStamps
	}
}

func hashFile(sum hash.Hash, full string) error {
	f, err := regular.Open(full)
	if err != nil {
		return err
	}
	defer f.Close() // read only
	_, err = io.Copy(sum, f)
	return err
}

// sameAsBlob tells whether a file is, byte for byte, what a commit holds.
// Where a filter or a line ending changes the bytes, the answer is no and the
// file counts as changed: the safe side.
func (w Watch) sameAsBlob(path string, blob git.Blob) bool {
	full := filepath.Join(w.Workspace, filepath.FromSlash(path))
	info, ok := lstat(full)
	if !ok {
		return false
	}
	modes := map[Kind]string{kindRegular: "100644", kindExecutable: "100755", kindSymlink: "120000"}
	kind := w.stamps(info).Kind
	if modes[kind] != blob.Mode && !w.plainModes {
		return false
	}
	sum := sha1.New() // git's object ids
	if len(blob.ID) == 2*sha256.Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", info.Size())
	if kind == kindSymlink {
		target, err := os.Readlink(full)
		if err != nil {
			return false
		}
		io.WriteString(sum, target)
	} else if err := hashFile(sum, full); err != nil {
		return false
	}
	return hex.EncodeToString(sum.Sum(nil)) == blob.ID
}

// lstat looks at a path that is a file to git. A directory is one only where
// it is a repository of its own: else it has taken the place of a file that is
// now gone.
func lstat(full string) (os.FileInfo, bool) {
	info, err := os.Lstat(full)
	if err != nil {
		return nil, false
	}
	if info.IsDir() {
		if _, err := os.Lstat(filepath.Join(full, ".git")); err != nil {
			return nil, false
		}
	}
	return info, true
}
