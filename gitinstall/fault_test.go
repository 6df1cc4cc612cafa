package gitinstall_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"discobot-hooks/gitinstall"
)

func TestParallelInstalls(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho foreign\n")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := r.installer().Install(context.Background(), []string{"pre-commit", "pre-push"}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if out, ok := r.commit(); !ok || out != "foreign\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
	if kept, _ := filepath.Glob(r.hook("*.original*")); len(kept) != 1 {
		t.Errorf("kept: %q", kept)
	}
}

// A lock file that is a link, as a workspace could plant it, is not followed.
func TestLockFollowsNoLink(t *testing.T) {
	r := newRepo(t, "repo")
	must(t, os.MkdirAll(r.dir+"/.git/hooks", 0o755))
	must(t, os.Symlink(r.dir+"/planted", r.hook(".discobot-hooks.lock")))
	if _, err := r.installer().Install(context.Background(), []string{"pre-commit"}); err == nil {
		t.Error("no error")
	}
	if exists(r.dir + "/planted") {
		t.Error("written through the link")
	}
}

// Killed between the link and our write, an install leaves one file with two
// names: the next one finishes it, an uninstall undoes it.
func TestHalfInstalled(t *testing.T) {
	r := newRepo(t, "repo")
	hook := r.hook("pre-commit")
	half := func() {
		write(t, hook, 0o755, "#!/bin/sh\necho foreign\n")
		write(t, r.hook("discobot-hooks.path"), 0o644, r.binary+"\n")
		must(t, os.Link(hook, hook+".original"))
	}
	half()
	if got := r.uninstall()[0].Action; got != gitinstall.Nothing || exists(hook+".original") {
		t.Errorf("Uninstall: %s", got)
	}
	half()
	if got := r.install("pre-commit")[0].Preserved; got != hook+".original" {
		t.Errorf("Install kept %s", got)
	}
	if out, ok := r.commit(); !ok || out != "foreign\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
}

// loop installs and uninstalls until it is killed; it says when it has begun.
func loop(dir string) {
	in := gitinstall.Installer{Workspace: dir, Binary: "/nonexistent/discobot-hooks", Env: os.Environ()}
	fmt.Println("begun")
	for {
		_, err := in.Install(context.Background(), []string{"pre-commit"})
		if err == nil {
			_, err = in.Uninstall(context.Background())
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// kill -9 at any moment: the hook is ours or the user's, whole, and the user's
// is there under its own name or the kept one.
func TestKillAnywhere(t *testing.T) {
	t.Run("links", func(t *testing.T) { killStorm(t, newRepo(t, "repo"), 70, nil) })
	// In a repository of another user's hook nobody may link it (proc_sys_fs(5)).
	t.Run("no links", func(t *testing.T) {
		if protected, err := os.ReadFile("/proc/sys/fs/protected_hardlinks"); os.Getuid() != 0 || err != nil || string(protected) != "1\n" {
			t.Skip("needs root, and fs.protected_hardlinks = 1")
		}
		r := newRepo(t, "repo")
		root := filepath.Dir(r.dir)
		for dir := root; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
			if dir != os.TempDir() {
				must(t, os.Chmod(dir, 0o755))
			}
		}
		self, err := os.ReadFile("/proc/self/exe")
		must(t, err)
		write(t, root+"/self", 0o755, string(self)) // nobody cannot enter where the original lies
		const nobody = 65534
		must(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, nobody, nobody))
		}))
		r.env = append(r.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
		killStorm(t, r, 40, &syscall.Credential{Uid: nobody, Gid: nobody})
	})
}

func killStorm(t *testing.T, r *repo, kills int, as *syscall.Credential) {
	t.Helper()
	const foreign = "#!/bin/sh\necho foreign\n"
	hook := r.hook("pre-commit")
	write(t, hook, 0o750, foreign)
	self, err := os.Executable()
	must(t, err)
	if as != nil {
		self = filepath.Dir(r.dir) + "/self"
		if err := os.Chmod(hook, 0o754); err != nil { // whoever may not read it cannot tell it from another
			t.Fatal(err)
		}
	}
	mode := stats(t, hook)[0].Mode()
	for try := range kills {
		killOne(t, r, self, as)
		live := read(t, hook) // never absent
		where := 0
		for _, path := range []string{hook, hook + ".original"} {
			if !exists(path) || read(t, path) != foreign {
				continue
			}
			where++
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Fatalf("try %d: mode %v %v", try, info.Mode(), err)
			}
		}
		if where == 0 || exists(hook+".original.2") {
			t.Fatalf("try %d: the foreign hook is in %d places", try, where)
		}
		if live != foreign && (!strings.HasPrefix(live, "#!/bin/sh\n# discobot:managed\n") || !strings.HasSuffix(live, "exit \"$status\"\n")) {
			t.Fatalf("try %d: half a hook: %q", try, live)
		}
	}
	r.install("pre-commit")
	r.uninstall()
	if read(t, hook) != foreign {
		t.Error("not as it was")
	}
	var left []string
	for _, entry := range listing(t, filepath.Dir(hook)) {
		if name := entry.Name(); name != "pre-commit" && name != ".discobot-hooks.lock" && !strings.HasSuffix(name, ".sample") {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func killOne(t *testing.T, r *repo, self string, as *syscall.Credential) {
	t.Helper()
	cmd := exec.Command(self)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	cmd.Env = append(r.env, "GITINSTALL_TEST_LOOP="+r.dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "begun" {
		t.Fatalf("child: %q", lines.Text())
	}
	timer := time.AfterFunc(time.Duration(rand.Int64N(int64(60*time.Millisecond))), func() { _ = cmd.Process.Kill() }) // may be gone
	defer timer.Stop()
	for lines.Scan() {
		t.Errorf("child: %s", lines.Text())
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("child: %v", err)
	}
}
