package gitinstall_test

import (
	"crypto/rand"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// manager is another one's program, installed as its documentation says.
type manager struct {
	name    string
	config  func(r *repo) // what it is to run at a commit: it prints "theirs"
	install []string
	// first is who runs after ours and then it were installed, again after ours
	// was installed once more, and third after it was.
	first, again, third string
	displaced           bool // Check says so at first
}

const both, theirs = "ours theirs", "theirs"

var managers = []manager{
	{"lefthook", func(r *repo) {
		write(r.t, r.dir+"/lefthook.yml", 0o644, "pre-commit:\n  jobs:\n    - run: echo theirs >>\"$THEIRS\"\n")
	}, []string{"lefthook", "install"}, theirs, both, both, true},
	{"husky", func(r *repo) {
		write(r.t, r.dir+"/.husky/pre-commit", 0o644, "echo theirs >>\"$THEIRS\"\n")
	}, []string{"husky"}, theirs, both, theirs, true},
	{"prek", preCommitConfig, []string{"prek", "install"}, both, both, both, true},
	{"pre-commit", preCommitConfig, []string{"pre-commit", "install"}, both, both, both, true},
}

func preCommitConfig(r *repo) {
	write(r.t, r.dir+"/.pre-commit-config.yaml", 0o644, `repos:
- repo: local
  hooks:
  - {id: theirs, name: theirs, language: system, always_run: true, pass_filenames: false, entry: sh -c 'echo theirs >>"$THEIRS"'}
`)
	r.git("add", ".")
}

// newManaged is a repository with the other's configuration, or skips.
func newManaged(t *testing.T, m manager) *repo {
	t.Helper()
	if _, err := exec.LookPath(m.install[0]); err != nil {
		t.Skipf("needs %s in PATH", m.name)
	}
	r := newRepo(t, "repo")
	r.env = append(r.env, "THEIRS="+r.binary+".theirs")
	m.config(r)
	return r
}

func (m manager) installIn(r *repo) {
	r.t.Helper()
	if out, code := r.try(m.install...); code != 0 && m.name != "lefthook" { // which refuses at times
		r.t.Fatalf("%q: exit %d: %s", m.install, code, out)
	}
}

// ran tells who ran at a commit, and fails where one ran twice.
func (r *repo) ran() string {
	r.t.Helper()
	must(r.t, os.RemoveAll(r.binary+".log"))
	must(r.t, os.RemoveAll(r.binary+".theirs"))
	write(r.t, r.dir+"/file", 0o644, rand.Text()) // lefthook runs nothing where nothing is staged
	r.git("add", "file")
	if out, ok := r.commit(); !ok {
		r.t.Errorf("commit: %s", out)
	}
	var who []string
	if n := strings.Count(r.log(), "argv <git-hook> <pre-commit>"); n > 0 {
		who = append(who, strings.Repeat("ours", n))
	}
	if exists(r.binary + ".theirs") {
		who = append(who, strings.ReplaceAll(read(r.t, r.binary+".theirs"), "\n", ""))
	}
	return strings.Join(who, " ")
}

// Real managers over ours: where the other one leaves us out, Check says so and
// the next install brings us back. The user's own hook runs with ours.
func TestManagerOverOurs(t *testing.T) {
	for _, m := range managers {
		t.Run(m.name, func(t *testing.T) {
			r := newManaged(t, m)
			step := func(what, want string) {
				t.Helper()
				if got := r.ran(); got != want {
					t.Errorf("%s: %q ran, want %q", what, got, want)
				}
			}
			r.install("pre-commit")
			step("alone", "ours")
			m.installIn(r)
			step("then theirs", m.first)
			if state := r.check(); len(state.Displaced) != 1 || state.Displaced[0].Called != (m.first == both) {
				t.Errorf("Check: %+v", state)
			}
			r.install("pre-commit")
			step("ours again", m.again)
			if state := r.check(); len(state.Displaced) > 0 || len(state.Running) != 1 {
				t.Errorf("Check: %+v", state)
			}
			m.installIn(r)
			step("theirs again", m.third)
			r.install("pre-commit")
			step("ours at last", both)
			r.uninstall()
			step("uninstalled", theirs)
			m.installIn(r)
			step("theirs once more", theirs)
		})
	}
}

// Ours over a real manager's hook, which is then kept.
func TestOursOverManager(t *testing.T) {
	for _, m := range managers {
		t.Run(m.name, func(t *testing.T) {
			r := newManaged(t, m)
			step := func(what, want string) {
				t.Helper()
				if got := r.ran(); got != want {
					t.Errorf("%s: %q ran, want %q", what, got, want)
				}
			}
			m.installIn(r)
			step("alone", theirs)
			r.install("pre-commit")
			step("then ours", both)
			m.installIn(r)
			again := map[string]string{"lefthook": theirs, "husky": theirs}[m.name]
			if again == "" {
				again = both
			}
			step("theirs again", again)
			r.install("pre-commit")
			step("ours again", both)
			r.uninstall()
			step("uninstalled", theirs)
		})
	}
}
