package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
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
//
// They are caught from the call of catch on, once or more: before that each ends the
// program, as it does any other.
func withSignals(parent context.Context) (ctx context.Context, catch, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 8)
	done := make(chan struct{})
	catch = sync.OnceFunc(func() {
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
		go waitForSignals(signals, done, cancel)
	})
	return ctx, catch, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

func waitForSignals(signals <-chan os.Signal, done <-chan struct{}, cancel context.CancelCauseFunc) {
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
}
