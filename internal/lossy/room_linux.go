package lossy

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// patience is how long a reader may take to make room, in milliseconds.
const patience = 500

// hasRoom tells whether PIPE_BUF bytes can be written without waiting, as
// poll(2) says of a pipe. Once lines were dropped there is no patience left.
func hasRoom(f *os.File, dropping bool) bool {
	wait := patience
	if dropping {
		wait = 0
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLOUT}}
	for {
		n, err := unix.Poll(fds, wait)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err != nil || n > 0 // an error: write and see
	}
}
