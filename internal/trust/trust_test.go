package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/trust"
)

func TestNameAndContentCount(t *testing.T) {
	t.Parallel()
	store, ws := trust.Store{Root: filepath.Join(t.TempDir(), "state")}, t.TempDir()
	if hooks, err := store.Of(ws); err != nil || len(hooks) != 0 {
		t.Fatalf("Of() = %v, %v before anything is trusted", hooks, err)
	}
	sum := trust.Sum([]byte("#!/bin/sh\n"))
	hooks := trust.Hooks{}
	hooks.Add("setup.sh", sum)
	if before, err := store.Set(t.Context(), ws, hooks); err != nil || len(before) != 0 {
		t.Fatalf("Set() = %v, %v", before, err)
	}
	hooks, err := store.Of(ws)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, sum      string
		trusted, known bool
	}{
		{"setup.sh", sum, true, true},
		{"setup.sh", trust.Sum(nil), false, true},
		{"setup.sh", "", false, true},
		{"other.sh", sum, false, false},
		{"", "", false, false},
	}
	for _, test := range tests {
		if trusted, known := hooks.Has(test.name, test.sum); trusted != test.trusted || known != test.known {
			t.Errorf("Has(%q, %.8s) = %v, %v; want %v, %v", test.name, test.sum, trusted, known, test.trusted, test.known)
		}
	}
	before, err := store.Set(t.Context(), ws, nil)
	if diff := cmp.Diff(trust.Hooks{"setup.sh": sum}, before); diff != "" || err != nil {
		t.Errorf("Set(none) = %v (-want +got):\n%s", err, diff)
	}
	if hooks, err := store.Of(ws); err != nil || len(hooks) != 0 {
		t.Errorf("Of() = %v, %v after all is revoked", hooks, err)
	}
}

// JSON has one replacement character for all bytes that are not UTF-8: two names
// must not become one.
func TestNamesThatAreNotUTF8StayApart(t *testing.T) {
	t.Parallel()
	store, ws := trust.Store{Root: t.TempDir()}, t.TempDir()
	hooks := trust.Hooks{}
	hooks.Add("a\xff.sh", "1")
	if _, err := store.Set(t.Context(), ws, hooks); err != nil {
		t.Fatal(err)
	}
	hooks, err := store.Of(ws)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a\xff.sh": true, "a\xfe.sh": false, "a\ufffd.sh": false, strconv.Quote("a\xff.sh"): false} {
		if got, _ := hooks.Has(name, "1"); got != want {
			t.Errorf("Has(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestPlaceIsTheRealPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws, other, link := filepath.Join(dir, "ws"), filepath.Join(dir, "other"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(ws, 0o755), os.Mkdir(other, 0o755), os.Symlink("ws", link)); err != nil {
		t.Fatal(err)
	}
	store := trust.Store{Root: filepath.Join(dir, "state")}
	if _, err := store.Set(t.Context(), link, trust.Hooks{"a": "1"}); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]int{ws: 1, link: 1, other + "/../ws": 1, other: 0} {
		if got, err := store.Of(place); err != nil || len(got) != want {
			t.Errorf("Of(%s) = %v, %v; want %d hooks", place, got, err, want)
		}
	}
	// The link now leads elsewhere: what is trusted does not go with it.
	if err := errors.Join(os.Remove(link), os.Symlink("other", link)); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Of(link); err != nil || len(got) != 0 {
		t.Errorf("Of(a link that leads elsewhere now) = %v, %v", got, err)
	}
}

func TestRecordInTheWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws, outside := filepath.Join(dir, "ws"), filepath.Join(dir, "outside")
	inside := filepath.Join(ws, "state")
	if err := errors.Join(os.MkdirAll(inside, 0o755), os.Symlink(inside, outside), os.Mkdir(ws+"-state", 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{ws, inside, outside, filepath.Join(ws, "made", "at", "need")} {
		if _, err := (trust.Store{Root: root}).Set(t.Context(), ws, trust.Hooks{"a": "1"}); err == nil {
			t.Errorf("Set() in %s succeeds", root)
		}
		if _, err := os.Stat(filepath.Join(root, ".trust.json")); err == nil {
			t.Errorf("%s has a record", root)
		}
	}
	for _, root := range []string{ws + "-state", dir} {
		if _, err := (trust.Store{Root: root}).Set(t.Context(), ws, trust.Hooks{"a": "1"}); err != nil {
			t.Errorf("Set() in %s: %v", root, err)
		}
	}
}

func TestRecordThatCannotBeBelieved(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	real, err := filepath.EvalSymlinks(ws)
	if err != nil {
		t.Fatal(err)
	}
	good := `{"workspaces": {` + strconv.Quote(real) + `: {"a": "1"}}}`
	write := func(root, content string, mode os.FileMode) error {
		path := filepath.Join(root, ".trust.json")
		return errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode))
	}
	tests := []struct {
		name    string
		make    func(root string) error
		wantErr string
	}{
		{"as we write it", func(root string) error { return write(root, good, 0o600) }, ""},
		{"others may read it", func(root string) error { return write(root, good, 0o644) }, ""},
		{"the group may write it", func(root string) error { return write(root, good, 0o620) }, "may write to it"},
		{"all may write it", func(root string) error { return write(root, good, 0o602) }, "may write to it"},
		{"a link", func(root string) error {
			return errors.Join(os.WriteFile(root+"/there", []byte(good), 0o600), os.Symlink("there", root+"/.trust.json"))
		}, "not a regular file"},
		{"a directory", func(root string) error { return os.Mkdir(root+"/.trust.json", 0o700) }, "not a regular file"},
		{"empty", func(root string) error { return write(root, "", 0o600) }, "unexpected end"},
		{"cut off", func(root string) error { return write(root, good[:20], 0o600) }, "unexpected end"},
		{"of another form", func(root string) error { return write(root, `{"workspaces": []}`, 0o600) }, "cannot unmarshal"},
		{"huge", func(root string) error { return write(root, strings.Repeat(" ", 9<<20), 0o600) }, "more than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := test.make(root); err != nil {
				t.Fatal(err)
			}
			hooks, err := trust.Store{Root: root}.Of(ws)
			if test.wantErr == "" {
				if err != nil || len(hooks) != 1 {
					t.Fatalf("Of() = %v, %v", hooks, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.wantErr) || len(hooks) != 0 {
				t.Errorf("Of() = %v, %v; want an error with %q", hooks, err, test.wantErr)
			}
			if _, err := (trust.Store{Root: root}).Set(t.Context(), ws, trust.Hooks{"b": "2"}); err == nil {
				t.Error("Set() writes over what it cannot read")
			}
		})
	}
}

// Two workspaces that are trusted at the same time must not lose each other.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	store := trust.Store{Root: t.TempDir()}
	dirs := make([]string, 20)
	var all sync.WaitGroup
	for i := range dirs {
		dirs[i] = t.TempDir()
		all.Go(func() {
			if _, err := store.Set(t.Context(), dirs[i], trust.Hooks{"a": strconv.Itoa(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, dir := range dirs {
		hooks, err := store.Of(dir)
		if diff := cmp.Diff(trust.Hooks{"a": strconv.Itoa(i)}, hooks); diff != "" || err != nil {
			t.Errorf("Of(%s) = %v (-want +got):\n%s", dir, err, diff)
		}
	}
}
