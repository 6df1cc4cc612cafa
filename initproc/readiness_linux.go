package initproc

import (
	"fmt"
	"os"
	"syscall"
)

// A readiness is the read end of the stage's pipe. C gets one value when the
// stage writes; never, when it closes the pipe or ends without.
type readiness struct {
	C    <-chan struct{}
	file *os.File
	done chan struct{}
}

// newReadiness also returns the write end, which the caller closes once the
// stage has it.
func newReadiness() (r *readiness, write int, err error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, 0, fmt.Errorf("readiness pipe: %w", err)
	}
	// Our end alone is non-blocking, so that close can end a Read.
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		return nil, 0, fmt.Errorf("readiness pipe: %w", err)
	}
	ready := make(chan struct{}, 1)
	r = &readiness{C: ready, file: os.NewFile(uintptr(fds[0]), "readiness"), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		if n, _ := r.file.Read(make([]byte, 1)); n == 1 {
			ready <- struct{}{}
		}
	}()
	return r, fds[1], nil
}

// close ends the reading. A stage that becomes ready later gets EPIPE.
func (r *readiness) close() {
	_ = r.file.Close() // read only
	<-r.done
}
