package initproc

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

func TestSignalsReachTheAgentOnce(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		run := startInit(t, mode, spec{Agent: self(t, "echo-signals")})
		run.wantLine("up")
		for _, sig := range forwardable() {
			run.signal(syscall.SIGURG) // these two are not passed on
			run.signal(syscall.SIGPIPE)
			if sig != syscall.SIGTERM {
				run.signal(sig.(syscall.Signal))
				run.wantLine(fmt.Sprint(int(sig.(syscall.Signal))))
			}
		}
		run.signal(syscall.SIGTERM) // last: it ends the agent
		run.wantLine("15")
		if more := run.rest(); more != "" {
			t.Errorf("signals that nobody sent: %q", more)
		}
		run.wantExit(5)
	})
}

// helperEchoSignals prints the number of each signal it gets; TERM ends it.
func helperEchoSignals() int {
	signals := make(chan os.Signal, 100)
	signal.Notify(signals, append(forwardable(), syscall.SIGPIPE)...)
	fmt.Println("up")
	for sig := range signals {
		fmt.Println(int(sig.(syscall.Signal)))
		if sig == syscall.SIGTERM {
			break
		}
	}
	for len(signals) > 0 {
		fmt.Println(int((<-signals).(syscall.Signal)))
	}
	return 5
}

// What arrives during the session stage is delivered to the agent, which has
// no handler here and ends by it.
func TestSignalsBeforeTheAgent(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		run := startHelper(t, mode, "early-signals")
		if wrong := run.rest(); wrong != "" {
			t.Error(wrong)
		}
		run.wantExit(0)
	})
}

func helperEarlySignals() int {
	for try := range 200 {
		sig := []syscall.Signal{syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGQUIT, 50}[try%4]
		code, err := Run(Config{
			Session: shp(fmt.Sprintf("kill -%d $PPID", int(sig))),
			Agent:   sh("ulimit -c 0; exec sleep 60"),
			Log:     zerolog.Nop(),
		})
		if code != 128+int(sig) || err != nil {
			fmt.Printf("try %d: Run = %d, %v, want %d\n", try, code, err, 128+int(sig))
		}
	}
	return 0
}

// No signal is lost in the moment of the agent's start.
func TestSignalsWhileTheAgentStarts(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		run := startHelper(t, mode, "race-signals")
		if wrong := run.rest(); wrong != "" {
			t.Error(wrong)
		}
		run.wantExit(0)
	})
}

func helperRaceSignals() int {
	sleep := Process{Argv: []string{"sleep", "60"}, Env: baseEnv()}
	for try := range 200 {
		s, err := newSupervisor(Config{Agent: sleep, Log: zerolog.Nop()})
		if err != nil {
			panic(err)
		}
		sent := make(chan error)
		go func() {
			for range try * 1000 { // a later moment with every try
				_ = os.Getpid()
			}
			sent <- syscall.Kill(os.Getpid(), syscall.SIGTERM)
		}()
		if code := s.run(); code != 143 {
			fmt.Printf("try %d: exit code = %d, want 143\n", try, code)
		}
		if err := <-sent; err != nil {
			fmt.Println(err)
		}
	}
	return 0
}

// A hook or the agent cannot end us: kill -SEGV 1.
func TestFaultSignals(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		const faults = "for s in SEGV BUS FPE ILL TRAP ABRT SYS; do kill -$s $PPID; done"
		dropped := fifo(t)
		run := startInit(t, mode, spec{
			Session: shp(faults+`; read x <"$1"`, dropped),
			Agent:   sh("trap : SEGV BUS FPE ILL TRAP ABRT SYS; " + faults + "; exit 4"),
		})
		// One that came late would be the agent's, who may not have its trap yet.
		deadline := time.Now().Add(20 * time.Second)
		for strings.Count(run.log(), "dropped: the agent does not run yet") < 7 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		release(t, dropped)
		run.wantExit(4)
		run.wantLog("SIGSEGV dropped: the agent does not run yet")
	})
}

func TestSignalChildOnly(t *testing.T) {
	script := `
		trap "echo main" USR1
		(trap "echo child; exit" USR1; echo up; while read x; do :; done) <"$1" &
		exec 9>"$1"
		wait; wait; wait`
	for name, test := range map[string]struct {
		childOnly bool
		want      []string
	}{
		"group": {false, []string{"child", "main"}},
		"child": {true, []string{"main"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := startInit(t, syscall.SysProcAttr{}, spec{
				Agent: sh(script, fifo(t)), SignalChildOnly: test.childOnly,
			})
			run.wantLine("up")
			run.signal(syscall.SIGUSR1)
			got := map[string]bool{}
			for range test.want {
				got[run.line()] = true
			}
			for _, want := range test.want {
				if !got[want] {
					t.Errorf("got %v, want %v", got, test.want)
				}
			}
		})
	}
}
