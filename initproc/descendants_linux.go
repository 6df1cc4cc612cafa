package initproc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// descendants lists the processes below pid, parents first; none where the
// kernel does not list children (CONFIG_PROC_CHILDREN) or /proc is of another
// PID namespace. Processes that fork or end meanwhile may be missing.
func descendants(pid int) []int {
	if !procIsOurs() {
		return nil
	}
	tree := children(pid)
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children(tree[i])...)
	}
	return tree
}

// procIsOurs tells whether the numbers in /proc are those that kill(2) takes:
// a container made by hand may show another namespace's.
func procIsOurs() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
}

// children reads proc_tid_children(5) of all of pid's threads.
func children(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is good
	var pids []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // that thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// signalDescendant signals pid if it is a descendant of ours. The pidfd comes
// first: should the number be reused between the check and the signal, the
// pidfd still means the old process, which is gone.
func signalDescendant(pid int, sig syscall.Signal) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch err {
	case nil:
		defer unix.Close(fd)
		if descends(pid) {
			_ = unix.PidfdSendSignal(fd, sig, nil, 0)
		}
	case unix.ENOSYS, unix.EPERM: // before Linux 5.3, or an old seccomp profile
		if descends(pid) {
			_ = kill(pid, sig)
		}
	}
}

// descends follows pid's parents up to us.
func descends(pid int) bool {
	self := os.Getpid()
	for pid > 1 {
		if pid = parent(pid); pid == self {
			return true
		}
	}
	return false
}

// parent is pid's parent by proc_pid_stat(5), 0 where there is none. The
// command's name before it may hold anything, also spaces and parentheses.
func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}
