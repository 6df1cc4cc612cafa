package session

import (
	"bytes"

	"github.com/rs/zerolog"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

const (
	maxLogged = 200 // lines of one hook; the rest is in its log file alone

	// maxLineBytes is where a line is logged in pieces: with what the log
	// adds, a piece stays below PIPE_BUF, which is written whole or not at all.
	maxLineBytes = 1500
)

// lineLog logs what a hook prints, line by line, and how it ended.
type lineLog struct {
	log   zerolog.Logger
	rest  []byte // an unfinished line
	lines int
}

func newLineLog(log zerolog.Logger, h hook.Hook) *lineLog {
	log = log.With().Str("hook", h.ID).Logger()
	log.Info().Str("run_as", string(h.Action.RunAs)).Msg("hook starts")
	return &lineLog{log: log}
}

func (l *lineLog) Write(p []byte) (int, error) {
	if l.lines > maxLogged {
		return len(p), nil
	}
	text := append(l.rest, p...)
	for l.lines <= maxLogged {
		end := bytes.IndexByte(text[:min(len(text), maxLineBytes)], '\n') + 1
		if end == 0 && len(text) < maxLineBytes {
			break
		}
		if end == 0 {
			end = maxLineBytes
		}
		l.print(text[:end])
		text = text[end:]
	}
	l.rest = append([]byte(nil), text...)
	return len(p), nil
}

func (l *lineLog) print(line []byte) {
	if l.lines++; l.lines > maxLogged {
		l.log.Info().Msg("more output: see the hook's log file")
		return
	}
	if text := plaintext.Clean(string(bytes.TrimRight(line, "\r\n"))); text != "" {
		l.log.Info().Msg(text)
	}
}

// Done logs the result.
func (l *lineLog) Done(r hook.Result) {
	if len(l.rest) > 0 && l.lines <= maxLogged {
		l.print(l.rest)
	}
	event := l.log.Info()
	if !r.Success() {
		event = l.log.Warn()
	}
	if r.Reason != "" {
		event = event.Str("reason", plaintext.Line(r.Reason))
	}
	event.Str("status", string(r.Status)).Int("exit_code", r.ExitCode).
		Int64("duration_ms", r.Duration.Milliseconds()).Msg("hook ended")
}
