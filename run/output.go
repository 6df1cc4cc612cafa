package run

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"discobot-hooks/internal/account"
)

// outputs carries what a process prints to the writers of its command.
type outputs struct{ streams []*stream }

// startOutput gives cmd one pipe for both streams, so that they stay in order,
// or one each where somebody wants them apart.
func startOutput(cmd *exec.Cmd, c Command) (*outputs, error) {
	switch {
	case c.Stdout != nil || c.Stderr != nil:
		all := &shared{to: c.Output}
		out, err := startStream(both(c.Stdout, all), c.User)
		if err != nil {
			return nil, err
		}
		errs, err := startStream(both(c.Stderr, all), c.User)
		if err != nil {
			out.finish(time.Now())
			return nil, err
		}
		cmd.Stdout, cmd.Stderr = out.writer, errs.writer
		return &outputs{[]*stream{out, errs}}, nil
	case c.Output != nil:
		one, err := startStream(c.Output, c.User)
		if err != nil {
			return nil, err
		}
		cmd.Stdout, cmd.Stderr = one.writer, one.writer
		return &outputs{[]*stream{one}}, nil
	}
	return &outputs{}, nil
}

func (o *outputs) closeWriters() {
	for _, s := range o.streams {
		s.closeWriter()
	}
}

// finish waits for the rest of the output, for drainLimit at most, and
// releases the pipes. Afterwards nothing is written any more.
func (o *outputs) finish() {
	deadline := time.Now().Add(drainLimit)
	for _, s := range o.streams {
		s.finish(deadline)
	}
}

// stream is one pipe. It is ours and not os/exec's, because Wait would
// otherwise last as long as the longest-lived child that holds the other end.
type stream struct {
	reader, writer *os.File
	done           chan struct{}
}

// startStream makes a pipe and copies what comes out of it. It belongs to the
// user that the command runs as: else opening /dev/stderr, which scripts do,
// is denied.
func startStream(to io.Writer, user *account.Account) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if user != nil {
		_ = w.Chown(int(user.UID), int(user.GID)) // only root gets here; where it fails the inherited descriptor still works
	}
	s := &stream{reader: r, writer: w, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_, _ = io.Copy(&patientWriter{to: to}, r) // ends at EOF or at finish's deadline
	}()
	return s, nil
}

// closeWriter drops our copy of the child's end, so that EOF can come.
func (s *stream) closeWriter() {
	if s.writer != nil {
		_ = s.writer.Close() // the child has its own
		s.writer = nil
	}
}

func (s *stream) finish(deadline time.Time) {
	s.closeWriter()
	_ = s.reader.SetReadDeadline(deadline) // pipes always support it
	<-s.done
	_ = s.reader.Close() // read only
}

// shared is the command's Output where two streams write to it.
type shared struct {
	mu sync.Mutex
	to io.Writer // nil: dropped
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil {
		return len(p), nil
	}
	return s.to.Write(p)
}

// both writes to one, if there is one, and to all. Each is patient by itself:
// a log that cannot be written must not keep the other from its text.
func both(one io.Writer, all *shared) io.Writer {
	if one == nil {
		return all
	}
	return io.MultiWriter(one, &patientWriter{to: all})
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
