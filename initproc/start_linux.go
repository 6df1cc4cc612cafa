package initproc

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	exitCannotRun = 126 // found, but cannot be executed
	exitNotFound  = 127

	// defaultPath is glibc's, where the environment has no PATH (execvp(3)).
	defaultPath = "/bin:/usr/bin"
)

// A startError says why a command could not be started, and our exit code.
type startError struct {
	code    int
	command string
	reason  string
	errno   syscall.Errno
}

func (e *startError) Error() string { return e.command + ": " + e.reason }

func startExitCode(err error) int {
	if e, ok := errors.AsType[*startError](err); ok {
		return e.code
	}
	return exitCannotRun
}

// attributes are those of any child of ours; the caller adds what is special.
func (s *supervisor) attributes(p *Process) *syscall.ProcAttr {
	attr := &syscall.ProcAttr{
		Dir:   s.dir,
		Env:   p.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{},
	}
	if p.Dir != "" {
		attr.Dir = inDir(s.dir, p.Dir) // we are in / by now
	}
	if p.Env == nil {
		attr.Env = os.Environ()
	}
	if u := p.User; u != nil {
		attr.Sys.Credential = &syscall.Credential{Uid: u.UID, Gid: u.GID, Groups: u.Groups}
	}
	return attr
}

// start runs p. Since only this goroutine reaps, a child that ends at once is
// registered before its status is looked at.
func (s *supervisor) start(name string, p *Process, attr *syscall.ProcAttr) (c *child, err error) {
	if len(p.Argv) == 0 {
		return nil, &startError{code: exitNotFound, command: name, reason: "no command"}
	}
	s.sigs.duringFork(func() {
		var pid int
		pid, err = execvp(p, attr)
		c = &child{name: name, pid: pid}
	})
	if err != nil {
		return nil, err
	}
	s.children[c.pid] = c
	s.log.Debug().Int("pid", c.pid).Str("command", p.Argv[0]).Msg(name + " started")
	return c, nil
}

// execvp starts p as execvp(3) would: a search in the child's PATH that goes
// on past what cannot be executed, and sh for a file without a format. As in
// shells, a directory of PATH that is closed to us is one without the command.
func execvp(p *Process, attr *syscall.ProcAttr) (pid int, err error) {
	file := cmp.Or(p.Path, p.Argv[0])
	if p.Path != "" || strings.Contains(file, "/") {
		pid, errno := execute(file, p.Argv, attr)
		if errno != 0 {
			return 0, explain(file, file, errno, attr)
		}
		return pid, nil
	}
	if file == "" {
		return 0, &startError{code: exitNotFound, command: `""`, reason: "empty command name"}
	}
	failed := &startError{code: exitNotFound, command: file, reason: "not found in PATH", errno: syscall.ENOENT}
	for _, dir := range strings.Split(lookPath(attr.Env), ":") {
		path := cmp.Or(dir, ".") + "/" + file
		if _, err := os.Stat(inDir(attr.Dir, path)); err != nil {
			continue // spares a fork; and what we may not see, the child may not either
		}
		pid, errno := execute(path, p.Argv, attr)
		switch errno {
		case 0:
			return pid, nil
		case syscall.EACCES, syscall.ENOENT, syscall.ENOTDIR, syscall.ESTALE, syscall.ENODEV, syscall.ETIMEDOUT:
			if failed.code == exitNotFound {
				failed = explain(file, path, errno, attr)
			}
		default:
			return 0, explain(file, path, errno, attr)
		}
	}
	return 0, failed
}

// execute returns once the program runs or could not be executed; zero is
// success. ForkExec itself waits for a child that failed.
func execute(path string, argv []string, attr *syscall.ProcAttr) (pid int, errno syscall.Errno) {
	pid, err := syscall.ForkExec(path, argv, attr)
	if err == syscall.ENOEXEC {
		sh := append([]string{"/bin/sh", path}, argv[1:]...)
		pid, err = syscall.ForkExec("/bin/sh", sh, attr)
	}
	if err == nil {
		return pid, 0
	}
	errno, ok := err.(syscall.Errno)
	if !ok {
		errno = syscall.EINVAL // a NUL in a string: the only error that is no Errno
	}
	return 0, errno
}

// explain words what exec(2) leaves ambiguous: ENOENT is also a missing
// directory or interpreter, EACCES also a directory.
func explain(command, path string, errno syscall.Errno, attr *syscall.ProcAttr) *startError {
	e := &startError{code: exitCannotRun, command: command, reason: errno.Error(), errno: errno}
	if _, err := os.Stat(cmp.Or(attr.Dir, "/")); err != nil {
		e.reason = fmt.Sprintf("working directory: %v", err)
		return e
	}
	info, err := os.Stat(inDir(attr.Dir, path))
	switch {
	case errno == syscall.ENOENT && err == nil:
		e.code, e.reason = exitNotFound, "its interpreter is not found"
	case errno == syscall.ENOENT || errno == syscall.ENOTDIR:
		e.code, e.reason = exitNotFound, "not found"
	case errno == syscall.EACCES && err == nil && info.IsDir():
		e.reason = "is a directory"
	case attr.Sys.Credential != nil:
		e.reason += fmt.Sprintf(" (as uid %d in %s)", attr.Sys.Credential.Uid, attr.Dir)
	}
	return e
}

// lookPath is PATH as getenv(3) finds it: the first one counts.
func lookPath(env []string) string {
	for _, entry := range env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			return path
		}
	}
	return defaultPath
}

// inDir is path as the child sees it, who is in dir.
func inDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
