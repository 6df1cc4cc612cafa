package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"discobot-hooks/hook"
)

// A signalError is the cause of a context that a signal ended.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped by " + e.signal.String() }

func (e signalError) exitCode() int { return hook.ExitForSignal(int(e.signal)) }

// stopLimit is when a command ends that has been asked to, come what may:
// more than a hook's group takes to end, and somebody may not read our stderr.
const stopLimit = 15 * time.Second

// withSignals returns a context that the signals end which ask a program to
// stop; SIGQUIT among them, since Go's own exit code for it, 2, means a
// re-prompt here. SIGPIPE is caught and dropped: a caller that goes away must
// not cost the record of a hook under way, and unlike an ignored signal a
// caught one is at its default again in the hooks.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if s, ok := s.(syscall.Signal); ok && s != syscall.SIGPIPE {
					stopping := signalError{s}
					cancel(stopping)
					time.AfterFunc(stopLimit, func() { os.Exit(stopping.exitCode()) })
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
