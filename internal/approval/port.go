package approval

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	yielding      = 2 * time.Second // how long whoever lingers has to go
	yieldInterval = 20 * time.Millisecond
)

// A BusyError is the port of a pending question, held by somebody else.
type BusyError struct {
	Port     int
	Deadline time.Time // of the question
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("listen for approval: port %d, where the links lead that were sent, is busy: end the process that holds it", e.Port)
}

// listenAnywhere takes the wanted port. If it is busy, or the links of a pending
// question lead there, it takes a free one, unless people reach that port alone:
// it was asked for explicitly, or is behind a base URL.
func listenAnywhere(ctx context.Context, o Options) (*net.TCPListener, error) {
	if o.Port < 0 || o.Port > 65535 {
		return nil, fmt.Errorf("listen for approval: port %d is not between 0 and 65535", o.Port)
	}
	if o.Port != 0 && (o.Explicit || o.BaseURL != "") {
		listener, err := listenYielded(ctx, o, o.Port)
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("listen for approval: port %d is busy: end the process that holds it, or choose another port", o.Port)
		}
		return listener, err
	}
	if o.Port != 0 && (shelf{o.Dir, o.Now}).leadsTo(o.Port) {
		return listen(ctx, 0)
	}
	listener, err := listen(ctx, o.Port)
	if o.Port != 0 && (errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES)) {
		listener, err = listen(ctx, 0)
	}
	return listener, err
}

// listenAgain takes the port that the links lead to; another process's is a
// [*BusyError].
func listenAgain(ctx context.Context, o Options, r record) (*net.TCPListener, error) {
	listener, err := listenYielded(ctx, o, r.Port)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = &BusyError{r.Port, r.Question.Deadline}
	}
	return listener, err
}

// listenYielded has those who linger at the port go first.
func listenYielded(ctx context.Context, o Options, port int) (*net.TCPListener, error) {
	ctx, cancel := context.WithTimeout(ctx, yielding)
	defer cancel()
	for waited := false; ; waited = true {
		listener, err := listen(ctx, port)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return listener, err
		}
		pids, found := shelf{o.Dir, o.Now}.serving(port)
		if !found && !waited { // the last one's descriptor may outlive its file
			return nil, err
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGTERM) // gone by itself is as good
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(yieldInterval):
		}
	}
}

func listen(ctx context.Context, port int) (*net.TCPListener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listen for approval: %w", err)
	}
	return listener.(*net.TCPListener), nil
}

// inherited is the listener in a file that another process handed over.
func inherited(file *os.File) (*net.TCPListener, error) {
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, err
	}
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		_ = listener.Close()
		return nil, fmt.Errorf("%s is no TCP socket", listener.Addr())
	}
	return tcp, nil
}
