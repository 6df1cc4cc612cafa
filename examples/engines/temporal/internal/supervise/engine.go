package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

const (
	// grace is between TERM and KILL. An engine has hooks in groups of their
	// own to end, and gives them five seconds: it must be alive to send the
	// KILL.
	grace = 6 * time.Second

	// drain is for how long we listen to those who hold the engine's output
	// open after it has ended.
	drain = time.Second
)

// errStopped is what the worker gets when somebody else stopped its supervisor.
var errStopped = errors.New("the supervisor was told to stop")

// runEngine runs the engine to its end, or ends it with ctx. Afterwards nobody
// is left in its process group.
func (o Order) runEngine(ctx context.Context, lock *os.File) (child.Ending, error) {
	said := &tail{limit: 4 << 10}
	cmd := exec.Command(o.Argv[0], o.Argv[1:]...)
	cmd.Dir, cmd.Env = o.SessionDir, o.Env
	cmd.Stdout, cmd.Stderr = said, said
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = ownGroup()
	cmd.WaitDelay = drain
	if err := cmd.Start(); err != nil {
		return child.Ending{}, fmt.Errorf("start engine: %w", err)
	}
	var waitErr error
	exited := make(chan struct{})
	go func() { // ends with the process, when even KILL does not end the engine
		waitErr = cmd.Wait()
		close(exited)
	}()
	select {
	case <-exited:
	case <-ctx.Done():
	}
	endGroup(cmd.Process.Pid, exited)
	if ctx.Err() != nil {
		return child.Ending{}, errStopped
	}
	return endingOf(cmd, said, waitErr)
}

func endingOf(cmd *exec.Cmd, said *tail, err error) (child.Ending, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return child.Ending{}, fmt.Errorf("wait for engine: %w", err)
	}
	ending := child.Ending{Exit: cmd.ProcessState.ExitCode(), Said: said.String()}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		ending.Signal = status.Signal().String()
	}
	return ending, nil
}

// endGroup ends the process group led by pid: TERM, the grace, KILL. A group
// without members is left alone, since its number may be somebody else's soon.
func endGroup(pid int, exited <-chan struct{}) {
	if err := syscall.Kill(-pid, syscall.SIGTERM); errors.Is(err, syscall.ESRCH) {
		return
	}
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond) // nobody tells when a stranger's child ends
	defer tick.Stop()
	for !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) {
		select {
		case <-deadline.C:
			_ = syscall.Kill(-pid, syscall.SIGKILL) // ESRCH: it has just ended
			awaitKilled(exited)
			return
		case <-tick.C:
			reap(pid, exited)
		}
	}
}

// reap takes the statuses of members that lost their parents, where
// [adoptOrphans] made them ours: until then they count as members. The leader's
// status is for whoever waits for it.
func reap(group int, leader <-chan struct{}) {
	select {
	case <-leader:
	default:
		return
	}
	for {
		if pid, err := syscall.Wait4(-group, nil, syscall.WNOHANG, nil); err != nil || pid == 0 {
			return // none is left, or none has ended
		}
	}
}

// awaitKilled gives a killed leader two seconds to go: one that does not is
// another user's now, or waits for a disk.
func awaitKilled(exited <-chan struct{}) {
	select {
	case <-exited:
	case <-time.After(2 * time.Second):
	}
}
