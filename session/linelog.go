package session

import (
	"bytes"

	"github.com/rs/zerolog"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

const (
	maxLogged    = 200  // lines of one hook; the rest is in its log file alone
	maxLineBytes = 4096 // a longer line is logged in pieces
)

// lineLog logs what a hook prints, line by line, and how it ended.
type lineLog struct {
	log   zerolog.Logger
	line  []byte
	lines int
}

func newLineLog(log zerolog.Logger, h hook.Hook) *lineLog {
	log = log.With().Str("hook", h.ID).Logger()
	log.Info().Str("run_as", string(h.Action.RunAs)).Msg("hook starts")
	return &lineLog{log: log}
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	for {
		end := bytes.IndexByte(l.line, '\n')
		if end < 0 && len(l.line) < maxLineBytes {
			return len(p), nil
		}
		if end < 0 {
			end = maxLineBytes - 1
		}
		l.print(l.line[:end+1])
		l.line = append(l.line[:0], l.line[end+1:]...)
	}
}

func (l *lineLog) print(line []byte) {
	if l.lines++; l.lines > maxLogged {
		if l.lines == maxLogged+1 {
			l.log.Info().Msg("more output: see the hook's log file")
		}
		return
	}
	if text := plaintext.Clean(string(bytes.TrimRight(line, "\r\n"))); text != "" {
		l.log.Info().Msg(text)
	}
}

// Done logs the result.
func (l *lineLog) Done(r hook.Result) {
	if len(l.line) > 0 {
		l.print(l.line)
	}
	event := l.log.Info()
	if !r.Success() {
		event = l.log.Warn()
	}
	if r.Reason != "" {
		event = event.Str("reason", r.Reason)
	}
	event.Str("status", string(r.Status)).Int("exit_code", r.ExitCode).Dur("duration_ms", r.Duration).Msg("hook ended")
}
