package frontmatter

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"discobot-hooks/hook"
	"discobot-hooks/internal/wording"
)

const (
	// headerLimit is how far into a file, after its `#!` line, a header may
	// reach.
	headerLimit = 64 << 10

	// firstLineLimit is how much of a file is read beside that.
	firstLineLimit = 4 << 10

	// maxProblems is how many problems of one file are listed.
	maxProblems = 100
)

// list gives the names of a workspace's hooks directory in byte order, hidden
// ones left out.
func list(root *os.Root) ([]string, error) {
	dir, err := root.OpenFile(hook.Dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, dangling(root)
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close() // read only
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hook.Dir, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
	slices.Sort(names)
	return names, nil
}

// dangling tells a hooks directory that is not there from a link to nothing.
func dangling(root *os.Root) error {
	for _, name := range []string{hook.Dir, path.Dir(hook.Dir)} {
		if st, err := root.Lstat(name); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link that leads nowhere", name)
		}
	}
	return nil
}

// linkedDir tells whether the hooks directory is reached through a link.
func linkedDir(root *os.Root) (bool, error) {
	for _, name := range []string{path.Dir(hook.Dir), hook.Dir} {
		st, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if st.Mode()&fs.ModeSymlink != 0 {
			return true, nil
		}
	}
	return false, nil
}

// file is one entry of the hooks directory on its way to a hook.
type file struct {
	name   string
	linked bool // reached through a symbolic link
	mode   fs.FileMode
	head   []byte // its start
	more   bool   // there is more than that

	counts bool // it has an id, broken or not
	broken bool // it has a problem that is an error
	hook   hook.Hook

	problems []hook.Problem
	dropped  int // problems over maxProblems
}

func (f *file) path() string { return path.Join(hook.Dir, f.name) }

// errorf notes what keeps the hook from running; a line of 0 is the file.
func (f *file) errorf(line int, format string, args ...any) {
	f.broken = true
	f.add(line, hook.Error, fmt.Sprintf(format, args...))
}

func (f *file) warnf(line int, format string, args ...any) {
	f.add(line, hook.Warning, fmt.Sprintf(format, args...))
}

func (f *file) add(line int, severity hook.Severity, message string) {
	if len(f.problems) == maxProblems {
		f.dropped++
		return
	}
	f.problems = append(f.problems, hook.Problem{File: f.path(), Line: line, Severity: severity, Message: message})
}

// sorted gives the problems by line.
func (f *file) sorted() []hook.Problem {
	slices.SortStableFunc(f.problems, func(a, b hook.Problem) int { return a.Line - b.Line })
	if f.dropped == 0 {
		return f.problems
	}
	severity := hook.Warning
	if f.broken {
		severity = hook.Error
	}
	last := f.problems[len(f.problems)-1]
	return append(f.problems, hook.Problem{
		File: f.path(), Line: last.Line, Severity: severity,
		Message: fmt.Sprintf("and %d more problems", f.dropped),
	})
}

// open reads the start of the file. Only what is a regular file is opened, so
// that no FIFO holds us up and no device is touched; O_NONBLOCK is for one
// that takes the file's place meanwhile. A symbolic link may lead anywhere in
// root, the workspace; anything else is in dir.
func (f *file) open(root, dir *os.Root) bool {
	direct, err := dir.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false // gone since we listed it
	}
	if err != nil {
		f.errorf(0, "cannot be read: %v", wording.Cause(err))
		return false
	}
	st, name := direct, f.name
	if direct.Mode()&fs.ModeSymlink != 0 {
		f.linked, dir, name = true, root, f.path()
		if st, err = root.Stat(name); err != nil {
			f.errorf(0, "symbolic link that cannot be followed inside the workspace: put the file itself here (%v)", wording.Cause(err))
			return false
		}
	}
	if !st.Mode().IsRegular() {
		f.notRegular(st.Mode())
		return false
	}
	in, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		// Whether it has a header cannot be told; its neighbours' ids must
		// not depend on who asks.
		f.counts = true
		f.errorf(0, "cannot be read: %v", wording.Cause(err))
		return false
	}
	defer in.Close() // read only
	if st, err = in.Stat(); err != nil || !st.Mode().IsRegular() {
		f.errorf(0, "changed while we read it: try again")
		return false
	}
	f.linked = f.linked || !os.SameFile(direct, st)
	f.mode = st.Mode()
	const most = firstLineLimit + headerLimit
	f.head, err = io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		f.counts = true
		f.errorf(0, "cannot be read: %v", wording.Cause(err))
		return false
	}
	if f.more = len(f.head) > most; f.more {
		f.head = f.head[:most]
	}
	return true
}

func (f *file) notRegular(mode fs.FileMode) {
	switch {
	case f.linked && mode.IsDir():
		f.errorf(0, "symbolic link to a directory: hooks are files of %s itself", hook.Dir)
	case f.linked:
		f.errorf(0, "symbolic link to what is not a regular file: put a file here")
	case mode.IsDir():
		f.warnf(0, "directory: hooks are files of %s itself, put them there", hook.Dir)
	default:
		f.errorf(0, "not a regular file: move it out of %s", hook.Dir)
	}
}
