package initproc

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestTermDuringSession(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		for name, test := range map[string]struct {
			stage string
			send  []syscall.Signal
			code  int
		}{
			"TERM":                    {"echo up; exec sleep 60", []syscall.Signal{syscall.SIGTERM}, 143},
			"INT":                     {"echo up; exec sleep 60", []syscall.Signal{syscall.SIGINT}, 130},
			"the stage sees it":       {"trap 'exit 0' TERM; echo up; while :; do sleep 60 & wait; done", []syscall.Signal{syscall.SIGTERM}, 143},
			"stopped stage":           {"(sleep 0; echo up) & kill -STOP $$; exec sleep 60", []syscall.Signal{syscall.SIGTERM}, 143},
			"deaf stage, asked twice": {"trap 'echo no' TERM; echo up; while :; do sleep 60 & wait; done", []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}, 143},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				started := filepath.Join(t.TempDir(), "started")
				run := startInit(t, mode, spec{Session: shp(test.stage), Agent: sh(`: >"$1"`, started)})
				run.wantLine("up")
				for i, sig := range test.send {
					if i > 0 {
						run.wantLine("no")
					}
					run.signal(sig)
				}
				run.wantExit(test.code)
				if _, err := os.Stat(started); err == nil {
					t.Error("the agent was started")
				}
			})
		}
	})
}

func TestDeafStageIsKilled(t *testing.T) {
	run := startInit(t, syscall.SysProcAttr{}, spec{
		Session:    shp("trap '' TERM; echo up; while :; do sleep 60; done"),
		Agent:      sh("exit 0"),
		StageGrace: 50 * time.Millisecond,
	})
	run.wantLine("up")
	run.signal(syscall.SIGTERM)
	run.wantExit(143)
	run.rest()
}

// The stage lives on in the background: it hears from the agent.
func TestReadyStageLivesOn(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		toStage, toAgent := fifo(t), fifo(t)
		run := startInit(t, mode, spec{
			Session: shp(`echo stage; echo >&3; read x <"$1"; echo "stage heard $x"; echo >"$2"`, toStage, toAgent),
			Agent:   sh(`echo agent; echo hello >"$1"; read x <"$2"; exit 8`, toStage, toAgent),
		})
		for _, want := range []string{"stage", "agent", "stage heard hello"} {
			run.wantLine(want)
		}
		run.wantExit(8)
	})
}

// A stage in the background does not end the agent, whatever becomes of it.
func TestReadyStageCrashes(t *testing.T) {
	toAgent, toStage := fifo(t), fifo(t)
	run := startInit(t, syscall.SysProcAttr{}, spec{
		Session: shp(`echo >&3; echo $$ >"$1"; read x <"$2"; kill -9 $$`, toAgent, toStage),
		Agent:   sh(`read pid <"$1"; echo >"$2"; while kill -0 $pid; do :; done 2>/dev/null; exit 8`, toAgent, toStage),
	})
	run.wantExit(8)
	run.wantLog(`"signal":"SIGKILL","message":"session ended"`)
}

func TestStageWithoutReadiness(t *testing.T) {
	for name, test := range map[string]struct{ stage, log string }{
		"ends well":        {"exit 0", ""},
		"closes the pipe":  {"exec 3>&-; exit 0", ""},
		"fails":            {"exit 3", `"status":3`},
		"is killed":        {"kill -9 $$", `"signal":"SIGKILL"`},
		"stdin is no ours": {"read x && exit 1; exit 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := startInit(t, syscall.SysProcAttr{}, spec{Session: shp(test.stage), Agent: sh("exit 8")})
			run.wantExit(8)
			run.wantLog(test.log)
		})
	}
}

func TestStageCannotStart(t *testing.T) {
	run := startInit(t, syscall.SysProcAttr{}, spec{
		Session: &Process{Argv: []string{"no-such-stage"}}, Agent: sh("exit 8"),
	})
	run.wantExit(8)
	run.wantLog("start session: no-such-stage: not found in PATH")
}

func TestSessionTimeout(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		run := startInit(t, mode, spec{
			Session:        shp("exec sleep 60"),
			SessionTimeout: 20 * time.Millisecond,
			Agent:          sh("exit 8"),
		})
		run.wantExit(8)
		run.wantLog("session took too long")
	})
}

// A stage that ignores TERM is killed with what has left its process group.
func TestSessionTimeoutKillsTheTree(t *testing.T) {
	ready := fifo(t)
	run := startInit(t, syscall.SysProcAttr{}, spec{
		Session: shp(`trap '' TERM
			setsid sh -c 'echo $$; exec sleep 60' &
			while :; do sleep 60; done`),
		SessionTimeout: 300 * time.Millisecond,
		StageGrace:     20 * time.Millisecond,
		Agent:          sh(`echo agent; read x <"$1"; exit 8`, ready),
	})
	escaped := run.line()
	run.wantLine("agent")
	waitUntil(t, "the escaped process is gone", func() bool {
		_, err := os.Stat("/proc/" + escaped)
		return os.IsNotExist(err)
	})
	release(t, ready)
	run.wantExit(8)
	run.rest()
}
