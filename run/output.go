package run

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"discobot-hooks/internal/account"
)

// output carries what a process prints to a writer. The pipe is ours and not
// os/exec's, because Wait would otherwise last as long as the longest-lived
// child that holds the other end.
type output struct {
	reader, writer *os.File
	done           chan struct{}
}

// startOutput gives cmd one pipe for both streams, so that they stay in order.
// The pipe belongs to the user that cmd runs as: else opening /dev/stderr,
// which scripts do, is denied.
func startOutput(cmd *exec.Cmd, to io.Writer, user *account.Account) (*output, error) {
	if to == nil {
		return &output{}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if user != nil {
		_ = w.Chown(int(user.UID), int(user.GID)) // only root gets here; where it fails the inherited descriptor still works
	}
	cmd.Stdout, cmd.Stderr = w, w
	o := &output{reader: r, writer: w, done: make(chan struct{})}
	go func() {
		defer close(o.done)
		_, _ = io.Copy(&patientWriter{to: to}, r) // ends at EOF or at finish's deadline
	}()
	return o, nil
}

// closeWriter drops our copy of the child's end, so that EOF can come.
func (o *output) closeWriter() {
	if o.writer != nil {
		_ = o.writer.Close() // the child has its own
		o.writer = nil
	}
}

// finish waits for the rest of the output, for drainLimit at most, and
// releases the pipe. Afterwards nothing is written any more.
func (o *output) finish() {
	if o.reader == nil {
		return
	}
	o.closeWriter()
	_ = o.reader.SetReadDeadline(time.Now().Add(drainLimit)) // pipes always support it
	<-o.done
	_ = o.reader.Close() // read only
}

// patientWriter goes on reading when the log cannot be written, on a full
// disk say: the hook must neither block nor die of our trouble. The log
// itself reports its error when it is closed.
type patientWriter struct {
	to     io.Writer
	failed bool
}

func (w *patientWriter) Write(p []byte) (int, error) {
	if !w.failed {
		_, err := w.to.Write(p)
		w.failed = err != nil
	}
	return len(p), nil
}

// lineStarts knows whether what was written ended its last line.
type lineStarts struct {
	to      io.Writer
	atStart bool
}

func (l *lineStarts) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.atStart = p[len(p)-1] == '\n'
	}
	return l.to.Write(p)
}

// say adds a line of ours.
func (l *lineStarts) say(text string) {
	start := ""
	if !l.atStart {
		start = "\n"
	}
	_, _ = fmt.Fprintf(l, "%s[discobot-hooks: %s]\n", start, text) // the log reports its own trouble
}
