package filewatch_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"discobot-hooks/internal/gittest"
)

// A file that is written while an evaluation looks is seen by that or by the
// next one: none is lost, however close the two are.
func TestWritesDuringEvaluations(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	paths := []string{"tracked", "d/tracked", "d/new", "e/f/new"}
	for _, path := range paths {
		repo.Write(path, "0000000")
	}
	repo.Git("add", "tracked", "d/tracked")
	repo.Git("commit", "-qm", "x")
	looks := evaluate(t, repo)
	looks.changed()
	for round := range 60 {
		stop, done := make(chan bool), make(chan error)
		go func() {
			for n := 0; ; n++ {
				for _, path := range paths {
					if err := os.WriteFile(filepath.Join(repo.Dir, path), fmt.Appendf(nil, "%07d", 1+round*7919+n), 0o600); err != nil {
						done <- err
						return
					}
				}
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
			}
		}()
		looks.changed()
		close(stop)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		looks.changed()
		for _, path := range paths {
			content, err := os.ReadFile(filepath.Join(repo.Dir, path))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(content)
			if got, want := looks.last.Seen[path].Hash, hex.EncodeToString(sum[:]); got != want {
				t.Fatalf("round %d: the last write to %s is not seen", round, path)
			}
		}
	}
}
