package sessionfile

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const writerDir = "SESSIONFILE_TEST_DIR" // makes this binary a writer

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		os.Exit(updateForever(Store{Dir: dir}))
	}
	os.Exit(m.Run())
}

// updateForever says each number once it is in the file.
func updateForever(s Store) int {
	for {
		var n int
		_, err := s.Begin(context.Background(), "a", "", func(session *Session, _ bool) error {
			n = grow(session)
			return nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
}

// grow adds the next number, and bytes that change the file's length a lot.
func grow(session *Session) int {
	session.Status = Active
	session.Command = strings.Repeat("x", rand.IntN(20_000))
	session.IssuesCompleted = append(session.IssuesCompleted, int64(len(session.IssuesCompleted)))
	return len(session.IssuesCompleted)
}

func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	const writers, updates = 4, 15
	dir := newStore(t).Dir
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			s := Store{Dir: dir}
			for range updates {
				if err := s.Update(t.Context(), "a", func(session *Session, _ bool) error { grow(session); return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	session, err := Store{Dir: dir}.read("a")
	if err != nil || len(session.IssuesCompleted) != writers*updates {
		t.Errorf("%d updates are in the file, %v; want %d", len(session.IssuesCompleted), err, writers*updates)
	}
}

// A reader without a lock sees whole files and a link that is there, and a
// kill at any moment leaves them so.
func TestKilledWritersAndReaders(t *testing.T) {
	t.Parallel()
	const kills = 15
	s := newStore(t)
	put(t, s, Session{ID: "a", Status: Active})
	if err := s.setCurrent("a"); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				readBoth(t, s)
			}
		}
	})
	defer reader.Wait()
	defer close(stop)
	for range kills {
		said := killedWriter(t, s.Dir, 1+rand.IntN(5))
		session, err := s.read("a")
		if err != nil || len(session.IssuesCompleted) < said {
			t.Fatalf("%d updates are in the file, %v; want %d at least", len(session.IssuesCompleted), err, said)
		}
	}
	put(t, s, Session{ID: "a", Status: Active})
	if err := s.setCurrent("a"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("the directory has %v, %v; want the session, the lock and the link", entries, err)
	}
}

func readBoth(t *testing.T, s Store) {
	t.Helper()
	content, err := os.ReadFile(s.path("a"))
	if err != nil || !json.Valid(content) {
		t.Errorf("a reader finds %.100q, %v", content, err)
	}
	if target, err := os.Readlink(filepath.Join(s.Dir, linkName)); err != nil || target != "a.json" {
		t.Errorf("a reader finds the link %q, %v", target, err)
	}
}

// killedWriter lets a process write and kills it once it has said some
// numbers, while it is at the next. It returns the last one.
func killedWriter(t *testing.T, dir string, numbers int) (last int) {
	t.Helper()
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerDir+"="+dir)
	writer.Stderr = os.Stderr
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range numbers {
		if _, err := fmt.Fscanln(lines, &last); err != nil {
			t.Error(err)
			break
		}
	}
	_ = writer.Process.Kill() // it cannot have ended
	_ = writer.Wait()         // killed, as intended
	return last
}

// Several that begin at once without a name have one session between them.
func TestBeginAtOnce(t *testing.T) {
	t.Parallel()
	dir := newStore(t).Dir
	ids := make(chan string)
	for i := range 8 {
		go func() {
			id, err := Store{Dir: dir}.Begin(t.Context(), fmt.Sprintf("new-%d", i), "/w", func(s *Session, exists bool) error {
				if !exists {
					s.Status, s.Workspace, s.StartTime = Active, "/w", FormatTime(time.Now())
				}
				s.IssuesPlanned = append(s.IssuesPlanned, int64(i))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			ids <- id
		}()
	}
	first := <-ids
	for range 7 {
		if id := <-ids; id != first {
			t.Errorf("sessions %s and %s, want one", first, id)
		}
	}
	session, found, err := Store{Dir: dir}.Current("/w")
	if err != nil || !found || len(session.IssuesPlanned) != 8 {
		t.Errorf("Current = %+v, %v, %v; want all eight issues", session, found, err)
	}
}
