package advice

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 1, 31, 13, 0, 0, 5, time.FixedZone("", 3600))

// full is the document's `advice add`.
func full() Addition {
	return Addition{
		Title: "Always run tests", Rig: "beads", Role: "polecat",
		HookCommand: "make test", HookTrigger: "before-commit", HookTimeout: 60, TimeoutSet: true, HookOnFailure: "block",
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	zero := 0
	for _, test := range []struct {
		name   string
		before string
		add    Addition
		actor  string
		want   string // after what was there
	}{
		{
			"the document's", "", full(), "",
			`{"id":"ID","title":"Always run tests","issue_type":"advice","status":"open","priority":2,"labels":["rig:beads","role:polecat"],"created_at":"2026-01-31T12:00:00.000000005Z","updated_at":"2026-01-31T12:00:00.000000005Z","advice_hook_command":"make test","advice_hook_trigger":"before-commit","advice_hook_timeout":60,"advice_hook_on_failure":"block"}` + "\n",
		},
		{
			"guidance for all", "x\n", Addition{Title: "a <b> & \"c\"", Description: "d\ne", Priority: &zero}, "joe",
			`{"id":"ID","title":"a <b> & \"c\"","description":"d\ne","issue_type":"advice","status":"open","priority":0,"labels":["global"],"created_at":"2026-01-31T12:00:00.000000005Z","updated_at":"2026-01-31T12:00:00.000000005Z","created_by":"joe"}` + "\n",
		},
		{
			"no final newline", "{\"broken", Addition{Title: "t", Agent: "a/b", Labels: []string{"go", "agent:a/b", "go"}}, "",
			"\n" + `{"id":"ID","title":"t","issue_type":"advice","status":"open","priority":2,"labels":["agent:a/b","go"],"created_at":"2026-01-31T12:00:00.000000005Z","updated_at":"2026-01-31T12:00:00.000000005Z"}` + "\n",
		},
		{
			"CRLF", "\ufeff{}\r\n\r\n\x00\xff\r\n", Addition{Title: "t"}, "",
			`{"id":"ID","title":"t","issue_type":"advice","status":"open","priority":2,"labels":["global"],"created_at":"2026-01-31T12:00:00.000000005Z","updated_at":"2026-01-31T12:00:00.000000005Z"}` + "\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), DefaultFile)
			if test.before != "" {
				writeFile(t, path, test.before)
			}
			id, err := Add(context.Background(), path, test.add, noon, test.actor)
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(`^bd-adv-[0-9a-z]{6}$`).MatchString(id) {
				t.Errorf("id %q", id)
			}
			want := test.before + strings.Replace(test.want, "ID", id, 1)
			if diff := cmp.Diff(want, readFile(t, path)); diff != "" {
				t.Errorf("file mismatch (-want +got):\n%s", diff)
			}
			if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
				t.Errorf("beside the file: %v, %v", entries, err)
			}
			list, _, err := List(Options{File: path})
			if err != nil || len(list) != 1 || list[0].ID != id {
				t.Errorf("List() = %v, %v", list, err)
			}
		})
	}
}

func TestAddChoosesIDs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, ids, prefix string }{
		{"none", "", "bd"},
		{"most common", "gt-1 bd-1 gt-2", "gt"},
		{"tie", "gt-1 bd-1", "bd"},
		{"two hyphens", "hq--uaim.4 hq--x", "hq"},
		{"our own are no prefix", "my-app-1 my-app-adv-000000 my-app-adv-000001", "my-app"},
		{"unfit for a file name", "../x-1 ../x-2 bd-1", "bd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "i.jsonl")
			var text strings.Builder
			for _, id := range strings.Fields(test.ids) {
				text.WriteString(`{"id":"` + id + "\"}\n")
			}
			writeFile(t, path, text.String())
			id, err := Add(context.Background(), path, Addition{Title: "t"}, noon, "")
			if err != nil || !strings.HasPrefix(id, test.prefix+"-adv-") || len(id) != len(test.prefix)+11 {
				t.Errorf("Add() = %q, %v", id, err)
			}
		})
	}
	t.Run("taken", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "i.jsonl")
		const before = `{"title":"x","id":"bd-1","status":"closed"}`
		writeFile(t, path, before)
		if _, err := Add(context.Background(), path, Addition{Title: "t", ID: "bd-1"}, noon, ""); err == nil || readFile(t, path) != before {
			t.Errorf("Add() = %v, file %q", err, readFile(t, path))
		}
		if id, err := Add(context.Background(), path, Addition{Title: "t", ID: "bd-2"}, noon, ""); err != nil || id != "bd-2" {
			t.Errorf("Add() = %q, %v", id, err)
		}
	})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	five := 5
	const triggers = "session-end, before-commit, before-push, before-handoff"
	for _, test := range []struct {
		name   string
		change func(*Addition)
		want   string
	}{
		{"whole", func(*Addition) {}, ""},
		{"1a.2 1001 characters", func(a *Addition) { a.HookCommand = strings.Repeat("é", 1001) }, "advice_hook_command has 1001 characters: write 1000 at most, or call a script"},
		{"1a.2 blank", func(a *Addition) { a.HookCommand = " " }, "hook command is blank: write a command, or leave it out"},
		{"1a.3 command without trigger", func(a *Addition) { a.HookTrigger = "" }, "hook command without hook trigger: add one of " + triggers},
		{"1a.3 trigger without command", func(a *Addition) { *a = Addition{Title: "t", HookTrigger: "session-end"} }, ""},
		{"1a.3 unknown", func(a *Addition) { a.HookTrigger = "Stop" }, `advice_hook_trigger "Stop" is none: write one of ` + triggers},
		{"1a.4 301", func(a *Addition) { a.HookTimeout = 301 }, "advice_hook_timeout is 301: write seconds from 1 to 300"},
		{"1a.4 -1", func(a *Addition) { a.HookTimeout = -1 }, "advice_hook_timeout is -1: write seconds from 1 to 300"},
		{"1a.4 0 is the default", func(a *Addition) { a.HookTimeout = 0 }, ""},
		{"1a.4 without command", func(a *Addition) { *a = Addition{Title: "t", TimeoutSet: true} }, "hook timeout without hook command: add the command"},
		{"1a.5 unknown", func(a *Addition) { a.HookOnFailure = "stop" }, `advice_hook_on_failure "stop" is none: write one of block, warn, ignore`},
		{"1a.5 without command", func(a *Addition) { *a = Addition{Title: "t", HookOnFailure: "warn"} }, "hook on-failure without hook command: add the command"},
		{"1a.4 a flag's default is not given", func(a *Addition) { *a = Addition{Title: "t", HookTimeout: 30} }, ""},
		{"no title", func(a *Addition) { a.Title = " " }, "title is missing: say what the advice is"},
		{"title of two lines", func(a *Addition) { a.Title = "a\nb" }, "title must be one line, without control characters"},
		{"long title", func(a *Addition) { a.Title = strings.Repeat("é", 501) }, "title has 501 characters: write 500 at most, and the rest as description"},
		{"Latin-1", func(a *Addition) { a.Description = "\xe9" }, "description is not UTF-8"},
		{"rig of two words", func(a *Addition) { a.Rig = "a b" }, `label "rig:a b" cannot be one: write a word without spaces and commas`},
		{"label with comma", func(a *Addition) { a.Labels = []string{"a,b"} }, `label "a,b" cannot be one: write a word without spaces and commas`},
		{"agent with newline", func(a *Addition) { a.Agent = "a\nb" }, `label "agent:a\nb" cannot be one: write a word without spaces and commas`},
		{"priority", func(a *Addition) { a.Priority = &five }, "priority is 5: write 0 (first) to 4"},
		{"id", func(a *Addition) { a.ID = ".x" }, "id \".x\" cannot name a log: use letters, digits, `.`, `_` and `-` after a first letter or digit, 120 at most"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := full()
			test.change(&a)
			got := ""
			if err := a.Validate(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Validate() = %q, want %q", got, test.want)
			}
		})
	}
}

// Beads appends without our lock: no line of anybody is lost or torn.
func TestAddBesideForeignAppends(t *testing.T) {
	t.Parallel()
	const each = 20
	path := filepath.Join(t.TempDir(), "i.jsonl")
	writeFile(t, path, "")
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for range each {
				if _, err := Add(context.Background(), path, full(), noon, ""); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Error(err)
				return
			}
			for j := range each {
				if _, err := fmt.Fprintf(f, "%s\n", line(fmt.Sprintf("foreign-%d-%d", i, j), nil)); err != nil {
					t.Error(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, problems, err := List(Options{File: path})
	if err != nil || len(problems) > 0 || len(list) != 4*each {
		t.Errorf("%d advice, %v, %v", len(list), problems, err)
	}
}

func TestAddRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link, pipe := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	writeFile(t, target, "")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe, dir} {
		if _, err := Add(context.Background(), path, full(), noon, ""); err == nil {
			t.Errorf("Add to %s succeeds", path)
		}
	}
	if got := readFile(t, target); got != "" {
		t.Errorf("the link's target holds %q", got)
	}
}

// A process of its own has a limit on file sizes, which ends a write in the
// middle as a full disk does.
func TestAddOnAFullDiskLeavesTheFileAsItWas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "i.jsonl")
	before := strings.Repeat("{}\n", 340) // 1020 bytes of 1024
	writeFile(t, path, before)
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDiskChild$", "-test.v")
	cmd.Env = append(os.Environ(), "ADVICE_TEST_FULL="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "add advice: write") {
		t.Errorf("the child says %v:\n%s", err, out)
	}
	if got := readFile(t, path); got != before {
		t.Errorf("the file has %d bytes, want %d: %q", len(got), len(before), got[min(len(got), len(before)):])
	}
}

func TestFullDiskChild(t *testing.T) {
	path := os.Getenv("ADVICE_TEST_FULL")
	if path == "" {
		t.Skip("a part of TestAddOnAFullDiskLeavesTheFileAsItWas")
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	old := limit.Cur
	limit.Cur = 1024
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	_, err := Add(context.Background(), path, full(), noon, "")
	limit.Cur = old // what the test prints may go to a file
	if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); e != nil {
		t.Fatal(e)
	}
	if err == nil {
		t.Fatal("Add() succeeds")
	}
	t.Log(err)
}

// What others write behind our torn line stays.
func TestTakeBackKeepsForeignBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "i.jsonl")
	writeFile(t, path, "old\n")
	f, err := openEnd(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := writeOnce(f, []byte("torn")); err != nil {
		t.Fatal(err)
	}
	other, err := openEnd(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := writeOnce(other, []byte("\nforeign\n")); err != nil {
		t.Fatal(err)
	}
	if err := takeBack(f, len("torn")); err == nil {
		t.Error("takeBack() says nothing of the broken line")
	}
	if got, want := readFile(t, path), "old\ntorn\nforeign\n"; got != want {
		t.Errorf("file %q, want %q", got, want)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
