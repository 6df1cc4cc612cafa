// Package atomicfile replaces a whole file so that a reader, a kill at any
// moment and a power loss find either the old content or the new one.
//
// renameio promises the replacement alone; that the new name itself survives
// a power loss takes a sync of the directory (fsync(2), NOTES), added here.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"

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
