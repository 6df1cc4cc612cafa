package gitinstall_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/gitinstall"
)

func TestInstallRefreshUninstall(t *testing.T) {
	r := newRepo(t, "repo")
	hook := r.hook("pre-commit")
	change := func(action string) []gitinstall.Change {
		return []gitinstall.Change{{Hook: "pre-commit", Path: hook, Action: action}}
	}
	step := func(want, got []gitinstall.Change) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("changes mismatch (-want +got):\n%s", diff)
		}
	}
	step(change(gitinstall.Installed), r.install("pre-commit"))
	if info, err := os.Stat(hook); err != nil || info.Mode() != 0o755 {
		t.Fatalf("mode: %v %v", info.Mode(), err)
	}
	if got := read(t, r.hook("discobot-hooks.path")); got != r.binary+"\n" {
		t.Errorf("note: %q", got)
	}
	before := stats(t, hook, r.hook("discobot-hooks.path"))
	step(change(gitinstall.Unchanged), r.install("pre-commit"))
	for i, after := range stats(t, hook, r.hook("discobot-hooks.path")) {
		if !os.SameFile(before[i], after) || before[i].ModTime() != after.ModTime() {
			t.Errorf("%s was written again", after.Name())
		}
	}
	write(t, hook, 0o755, "#!/bin/sh\n# discobot:managed\necho old\n")
	step(change(gitinstall.Refreshed), r.install("pre-commit"))
	must(t, os.Chmod(hook, 0o644))
	step(change(gitinstall.Refreshed), r.install("pre-commit"))
	step(change(gitinstall.Unchanged), r.install("pre-commit"))
	r.binary += "2"
	step(change(gitinstall.Refreshed), r.install("pre-commit"))
	step(change(gitinstall.Removed), r.install())
	if exists(hook) || exists(r.hook("discobot-hooks.path")) {
		t.Error("hook or note left behind")
	}
	step([]gitinstall.Change{{Path: filepath.Dir(hook), Action: gitinstall.Nothing}}, r.uninstall())
}

func stats(t *testing.T, paths ...string) (infos []os.FileInfo) {
	for _, path := range paths {
		info, err := os.Lstat(path)
		must(t, err)
		infos = append(infos, info)
	}
	return infos
}

// What lies at pre-commit and is not ours is kept as it is, and comes back.
func TestForeignHookIsKeptAndRestored(t *testing.T) {
	tests := []struct {
		name    string
		mode    os.FileMode
		content string
		link    string
		runs    bool
	}{
		{name: "shell", mode: 0o755, content: "#!/bin/sh\necho foreign\n", runs: true},
		{name: "python", mode: 0o700, content: "#!/usr/bin/env python3\nprint('foreign')\n", runs: true},
		{name: "not executable", mode: 0o644, content: "#!/bin/sh\necho foreign\nexit 1\n"},
		{name: "no shebang", mode: 0o755, content: "echo foreign\n", runs: true},
		{name: "marker on line 3", mode: 0o755, content: "#!/bin/sh\n#\n# discobot:managed\necho foreign\n", runs: true},
		{name: "marker within line 2", mode: 0o755, content: "#!/bin/sh\n# discobot:managed once\necho foreign\n", runs: true},
		{name: "marker with CR", mode: 0o755, content: "#!/bin/sh\n# discobot:managed\r\necho foreign\n", runs: true},
		{name: "symlink", link: "../../tool", runs: true},
		{name: "dangling symlink", link: "../../../outside"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t, "repo")
			hook := r.hook("pre-commit")
			write(t, filepath.Join(r.dir, "tool"), 0o755, "#!/bin/sh\necho foreign\n")
			if test.link != "" {
				must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
				must(t, os.Symlink(test.link, hook))
			} else {
				write(t, hook, test.mode, test.content)
				must(t, os.Chtimes(hook, time.Time{}, time.Unix(1e9, 0)))
			}
			before := stats(t, hook)[0]
			want := gitinstall.Change{Hook: "pre-commit", Path: hook, Action: gitinstall.Installed, Preserved: hook + ".original"}
			if diff := cmp.Diff([]gitinstall.Change{want}, r.install("pre-commit")); diff != "" {
				t.Fatalf("Install mismatch (-want +got):\n%s", diff)
			}
			out, ok := r.commit()
			if ran := out == "foreign\n"; !ok || ran != test.runs {
				t.Errorf("commit %v: %q", ok, out)
			}
			wantContains(t, r.log(), "argv <git-hook> <pre-commit>\n")
			if exists(filepath.Join(filepath.Dir(r.dir), "outside")) {
				t.Error("written through the link")
			}
			if got := r.uninstall()[0].Action; got != gitinstall.Restored {
				t.Errorf("uninstall: %s", got)
			}
			after := stats(t, hook)[0]
			if !os.SameFile(before, after) || before.Mode() != after.Mode() || before.ModTime() != after.ModTime() {
				t.Errorf("not the same hook: %v, was %v", after, before)
			}
			if test.link == "" && read(t, hook) != test.content {
				t.Error("content changed")
			}
			if exists(hook + ".original") {
				t.Error("kept twice")
			}
		})
	}
}

func TestKeptHookIsNeverOverwritten(t *testing.T) {
	r := newRepo(t, "repo")
	hook := r.hook("pre-commit")
	write(t, hook+".original", 0o755, "#!/bin/sh\necho first\n")
	write(t, hook, 0o755, "#!/bin/sh\necho second\n")
	if got := r.install("pre-commit")[0].Preserved; got != hook+".original.2" {
		t.Errorf("kept as %s", got)
	}
	// Another manager writes the same hook again: it must not run twice.
	write(t, hook, 0o755, "#!/bin/sh\necho second\n")
	if got := r.install("pre-commit")[0].Preserved; got != hook+".original.2" {
		t.Errorf("kept as %s", got)
	}
	if out, ok := r.commit(); !ok || out != "first\nsecond\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
	want := []gitinstall.Change{{Hook: "pre-commit", Path: hook, Action: gitinstall.Restored, Preserved: hook + ".original.2"}}
	if diff := cmp.Diff(want, r.uninstall()); diff != "" {
		t.Errorf("Uninstall mismatch (-want +got):\n%s", diff)
	}
	wantContains(t, read(t, hook), "first")
}

func TestUnnamedHooksAreGivenBack(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.hook("commit-msg"), 0o755, "#!/bin/sh\necho mine\n")
	r.install("commit-msg", "pre-commit", "pre-push")
	want := []gitinstall.Change{
		{Hook: "pre-commit", Path: r.hook("pre-commit"), Action: gitinstall.Unchanged},
		{Hook: "commit-msg", Path: r.hook("commit-msg"), Action: gitinstall.Restored},
		{Hook: "pre-push", Path: r.hook("pre-push"), Action: gitinstall.Removed},
	}
	if diff := cmp.Diff(want, r.install("pre-commit")); diff != "" {
		t.Errorf("Install mismatch (-want +got):\n%s", diff)
	}
}

// pre-commit moves what it finds to .legacy and calls it from there.
func TestMovedByAnotherManager(t *testing.T) {
	r := newRepo(t, "repo")
	hook := r.hook("pre-commit")
	const manager = "#!/bin/sh\n# File generated by other\necho other\n\"$(git rev-parse --absolute-git-dir)/hooks/pre-commit.legacy\" \"$@\"\n"
	write(t, hook, 0o755, "#!/bin/sh\necho mine\n")
	r.install("pre-commit")
	must(t, os.Rename(hook, hook+".legacy"))
	write(t, hook, 0o755, manager)

	check := func(step, wantOut string) {
		t.Helper()
		must(t, os.RemoveAll(r.binary+".log"))
		out, ok := r.commit()
		if !ok || out != wantOut {
			t.Errorf("%s: commit %v: %q", step, ok, out)
		}
		if got := r.log(); got != "argv <git-hook> <pre-commit>\noriginal=0\n" {
			t.Errorf("%s: binary: %q", step, got)
		}
	}
	check("moved", "other\nmine\n")
	r.install("pre-commit")
	check("installed again", "mine\nother\n")
	write(t, hook, 0o755, manager)
	check("manager installed again", "other\nmine\n")
	r.uninstall()
	if out, ok := r.commit(); !ok || out != "other\nmine\n" {
		t.Errorf("uninstalled: commit %v: %q", ok, out)
	}
}

func TestInstallRefusesNames(t *testing.T) {
	r := newRepo(t, "repo")
	for _, name := range []string{"../pre-commit", "", "fsmonitor-watchman", "pre-commit.original"} {
		if _, err := r.installer().Install(context.Background(), []string{name}); err == nil {
			t.Errorf("Install(%q): no error", name)
		}
	}
	in := r.installer()
	in.Binary = "discobot-hooks"
	if _, err := in.Install(context.Background(), []string{"pre-commit"}); err == nil {
		t.Error("relative binary: no error")
	}
	if exists(r.hook("pre-commit")) {
		t.Error("something was written")
	}
}
