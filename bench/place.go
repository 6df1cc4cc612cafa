package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A place is a directory with the programs in bin, a home, and beside them the
// directories that commands are run in.
type place string

// A command is one process, or several one after the other, in a directory of
// the place.
type command struct {
	dir   string
	calls [][]string
}

func in(dir string, calls ...[]string) command { return command{dir, calls} }

func (at place) path(name string) string { return filepath.Join(string(at), filepath.FromSlash(name)) }

func (at place) write(name, content string) error {
	if err := os.MkdirAll(filepath.Dir(at.path(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(at.path(name), []byte(content), 0o755)
}

// build builds the program as a release is, and one that does nothing.
func (at place) build() error {
	if err := at.write("empty.go", "package main\n\nfunc main() {}\n"); err != nil {
		return err
	}
	if err := at.write("event.json", "{}\n"); err != nil {
		return err
	}
	if err := os.Mkdir(at.path("home"), 0o755); err != nil {
		return err
	}
	for _, argv := range [][]string{
		{"./build.sh", at.path("bin/discobot-hooks")},
		{"go", "build", "-trimpath", "-ldflags=-s -w", "-o", at.path("bin/empty"), at.path("empty.go")},
	} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %s: %w\n%s", strings.Join(argv, " "), err, out)
		}
	}
	return nil
}

// time returns how long a command takes, from before its first process starts
// to after its last one ends.
func (at place) time(c command) (took time.Duration, err error) {
	for _, argv := range c.calls {
		one, err := at.run(c.dir, argv, nil)
		if err != nil {
			return 0, err
		}
		took += one
	}
	return took, nil
}

func (at place) run(dir string, argv []string, out io.Writer) (time.Duration, error) {
	input := at.path("event.json")
	if own := at.path(dir + "/payload.json"); exists(own) {
		input = own
	}
	event, err := os.Open(input)
	if err != nil {
		return 0, err
	}
	defer event.Close() // read only
	program := argv[0]
	if ours := at.path("bin/" + program); exists(ours) {
		program = ours
	}
	cmd := exec.Command(program, argv[1:]...)
	var complaint bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = at.path(dir), event, out, &complaint
	cmd.Env = []string{"PATH=" + at.path("bin") + ":" + os.Getenv("PATH"), "HOME=" + at.path("home"), "GIT_CONFIG_NOSYSTEM=1"}
	started := time.Now()
	err = cmd.Run()
	took := time.Since(started)
	if err != nil {
		return 0, fmt.Errorf("run %s: %w\n%s", strings.Join(argv, " "), err, &complaint)
	}
	return took, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
