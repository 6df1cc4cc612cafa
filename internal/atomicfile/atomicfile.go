// Package atomicfile replaces a whole file so that a reader, a kill at any
// moment and a power loss find either the old content or the new one.
//
// renameio promises the replacement alone; that the new name itself survives
// a power loss takes a sync of the directory (fsync(2), NOTES), added here.
package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// Write replaces path by a file with this content and exactly this mode,
// whatever the umask and the old file's mode. The temporary file lies beside
// it, so no other file system is involved; on an error the old file stays and
// the temporary one goes. A symbolic link at path is replaced, not followed.
func Write(path string, content []byte, mode os.FileMode) error {
	dir := filepath.Dir(path)
	// renameio.WriteFile would take over the mode of an existing file.
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(mode))
	if err != nil {
		return err
	}
	defer file.Cleanup() // does nothing once the file is in place
	if _, err := file.Write(content); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Replace is Write without waiting for the disk: a reader and a kill find the
// old content or the new one, but after a power loss some file systems have
// neither. It is for what may be lost, and costs a tenth of Write.
func Replace(path string, content []byte, mode os.FileMode) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // Sweep would, too
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(mode), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Sweep removes what writers of path that were killed have left beside it. The
// caller holds the lock that writers take, so that none is at work.
func Sweep(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the next sweep tries again
	}
	for _, entry := range entries {
		digits, ours := strings.CutPrefix(entry.Name(), "."+filepath.Base(path))
		if ours && digits != "" && strings.Trim(digits, "0123456789") == "" {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name())) // likewise
		}
	}
}

// SyncDir makes the names in dir durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() // read only
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
