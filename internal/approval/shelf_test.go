package approval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

// What is over goes, unless somebody holds it; what somebody may need stays.
func TestClaimRemovesWhatIsOver(t *testing.T) {
	t.Parallel()
	now := time.Now()
	past, future := Question{Deadline: now.Add(-time.Second)}, Question{Deadline: now.Add(time.Hour)}
	answer := &answerRecord{Action: "approve", At: now.Add(-time.Minute)}
	for name, test := range map[string]struct {
		record record
		isHeld bool
		stays  bool
	}{
		"pending":                      {record: record{Question: future, Sent: true}, stays: true},
		"nobody was asked":             {record: record{Question: future}},
		"deadline passed":              {record: record{Question: past}},
		"deadline passed, held":        {record: record{Question: past}, isHeld: true, stays: true},
		"answered in time":             {record: record{Question: past, Answer: answer}, stays: true},
		"answered and forgotten":       {record: record{Question: Question{Deadline: now.Add(-2 * answerKept)}, Answer: answer}},
		"used, whoever lingers starts": {record: record{Question: future, Answer: answer, Used: &usedRecord{At: now}}, stays: true},
		"used, nobody came to linger":  {record: record{Question: future, Answer: answer, Used: &usedRecord{At: now.Add(-time.Minute)}}},
		"used, whoever lingered died":  {record: record{Question: future, Answer: answer, Used: &usedRecord{At: now, PID: 1}}},
		"used, lingering":              {record: record{Question: future, Answer: answer, Used: &usedRecord{At: now, PID: 1}}, isHeld: true, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := shelf{dir, func() time.Time { return now }}
			h, err := s.put(test.record)
			if err != nil {
				t.Fatal(err)
			}
			defer h.release()
			if !test.isHeld {
				if err := h.release(); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := s.claim("another key"); err != nil || got != nil {
				t.Fatalf("claim = %v, %v; want nothing", got, err)
			}
			want := []bool{test.stays, test.stays}
			got := []bool{exists(h.file()), exists(h.path + lockSuffix)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("record and lock stay, mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A kill between the lock's making and the record's leaves a lock, and a half
// of a record; a broken disk leaves what is no record.
func TestClaimRemovesWhatAKillLeaves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shelf{dir, time.Now}
	for name, content := range map[string]string{"A.lock": "", ".A.json123": `{"key":`, "B.lock": "", "B.json": `{"key":`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.claim("key"); err != nil || got != nil {
		t.Errorf("claim = %v, %v; want nothing", got, err)
	}
	if records, others := files(t, dir); len(records)+len(others) != 0 {
		t.Errorf("left: %v, %v", records, others)
	}
}

// An answer is worth more than a question.
func TestClaimPrefersTheAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shelf{dir, time.Now}
	future := Question{Deadline: time.Now().Add(time.Hour)}
	for _, r := range []record{{Key: "key", Question: future, Sent: true}, {Key: "key", Question: future, Answer: &answerRecord{Action: "approve"}}, {Key: "key", Question: future, Sent: true}} {
		h, err := s.put(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.release(); err != nil {
			t.Fatal(err)
		}
	}
	var answered []bool
	for range 4 {
		h, err := s.claim("key")
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		defer h.release()
		answered = append(answered, h.record.Answer != nil)
	}
	if diff := cmp.Diff([]bool{true, false, false}, answered); diff != "" {
		t.Errorf("claims in order mismatch (-want +got):\n%s", diff)
	}
}

// A name that the sweeper took away between its making and its locking is
// given up, even if there is another file of that name.
func TestLockOfARemovedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "A") + lockSuffix
	write := func() error { return os.WriteFile(path, nil, 0o600) }
	for name, swept := range map[string]func() error{
		"removed":  func() error { return os.Remove(path) },
		"replaced": func() error { return errors.Join(os.Rename(path, path+"x"), write()) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
		lock, err := tryLock(strings.TrimSuffix(path, lockSuffix), func(l *flock.Flock) (bool, error) {
			ok, err := l.TryLock()
			return ok, errors.Join(err, swept())
		})
		if !elsewhere(err) {
			t.Errorf("%s: tryLock = %v, %v; want that it is gone", name, lock, err)
		}
	}
}
