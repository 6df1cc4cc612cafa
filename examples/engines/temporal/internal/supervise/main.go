package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/google/renameio/v2"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

// InputsPath is where an engine finds its inputs. It is not the inputs.json
// beside it, which is whose the hook runtime is, and may be on another machine.
func InputsPath(sessionDir string) string {
	return filepath.Join(sessionDir, ".temporal-inputs.json")
}

func lockPath(sessionDir string) string {
	return filepath.Join(sessionDir, ".temporal.lock")
}

// Main is the supervisor: it reads an order from stdin, carries it out and
// writes a report to stdout. When stdin ends before that, or on SIGTERM, SIGINT
// and SIGHUP, it ends the engine. It must be all that the process does.
func Main(stdin io.Reader, stdout io.Writer) error {
	// The kernel ends the engine when the *thread* that started it does
	// (PR_SET_PDEATHSIG, prctl(2)); this one lasts as long as the process.
	runtime.LockOSThread()
	adoptOrphans()
	var order Order
	if err := json.NewDecoder(stdin).Decode(&order); err != nil {
		return fmt.Errorf("decode order: %w", err)
	}
	ctx, unregister := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer unregister()
	ctx, stop := context.WithCancel(ctx)
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, stdin) // however it ends, nobody wants the result
		stop()
	}()
	var said report
	ending, err := order.carryOut(ctx)
	if said.Ending = ending; err != nil {
		said.Failure = err.Error()
	}
	return json.NewEncoder(stdout).Encode(said)
}

func (o Order) carryOut(ctx context.Context) (child.Ending, error) {
	if len(o.Argv) == 0 {
		return child.Ending{}, errors.New("start engine: no command")
	}
	if err := os.MkdirAll(o.SessionDir, 0o700); err != nil {
		return child.Ending{}, err
	}
	lock, err := acquire(ctx, lockPath(o.SessionDir))
	if err != nil {
		return child.Ending{}, fmt.Errorf("lock session directory: %w", err)
	}
	defer lock.Close() // drops our share of the lock
	// A predecessor may have left half an output.json.
	if err := child.WriteOutput(o.SessionDir, nil); err != nil {
		return child.Ending{}, err
	}
	if err := renameio.WriteFile(InputsPath(o.SessionDir), o.Inputs, 0o600, renameio.WithTempDir(o.SessionDir)); err != nil {
		return child.Ending{}, fmt.Errorf("write inputs: %w", err)
	}
	ending, err := o.runEngine(ctx, lock)
	if err != nil {
		return child.Ending{}, err
	}
	if ending.Output, err = child.ReadOutput(o.SessionDir); err != nil {
		ending.Problem = err.Error()
	}
	return ending, nil
}

// acquire waits for the flock(2) on path; the file stays, since removing it
// would let two processes lock two files of the same name. It returns a file
// whose lock is shared by all who inherit it, and gone when the last is.
func acquire(ctx context.Context, path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- flock(file) }()
	select {
	case err = <-locked:
	case <-ctx.Done():
		return nil, errStopped // the file is flock's until the process ends
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

// flock waits for an exclusive lock. Go's own signals interrupt it.
func flock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
