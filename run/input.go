package run

import (
	"os"
	"os/exec"
	"time"
)

// input hands a text to a process. The pipe is ours: os/exec's Wait would last
// for as long as a child that never reads holds the other end.
type input struct {
	reader, writer *os.File
	done           chan struct{}
}

// startInput begins to write text to cmd's stdin. Nil text is no input at all.
func startInput(cmd *exec.Cmd, text []byte) (*input, error) {
	if text == nil {
		return &input{}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdin = r
	in := &input{reader: r, writer: w, done: make(chan struct{})}
	go func() {
		defer close(in.done)
		_, _ = w.Write(text) // EPIPE: the command did not want all of it; else finish's deadline
		_ = w.Close()        // a pipe has nothing to flush
	}()
	return in, nil
}

// closeReader drops our copy of the child's end, so that EPIPE can come.
func (in *input) closeReader() {
	if in.reader != nil {
		_ = in.reader.Close() // the child has its own
		in.reader = nil
	}
}

// finish takes back what nobody has read by now: the command has ended.
func (in *input) finish() {
	if in.writer == nil {
		return
	}
	in.closeReader()
	_ = in.writer.SetWriteDeadline(time.Now()) // pipes always support it; closed already: nothing to do
	<-in.done
}
