package discobothooks_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"discobot-hooks/internal/gittest"
)

// Evaluations that are killed at random moments lose no pending hook and no
// count, leave a status.json that parses, and the next one sweeps up.
func TestKilledEvaluationsLoseNothing(t *testing.T) {
	t.Parallel()
	const kills, window = 100, 30 * time.Millisecond
	repo := gittest.New(t)
	repo.Write(".discobot/hooks/h.sh", "#!/bin/sh\n#---\n# type: file\n# pattern: \"*.txt\"\n#---\nexit 1\n")
	if err := os.Chmod(filepath.Join(repo.Dir, ".discobot/hooks/h.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	evaluate := func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(binaryDir, "discobot-hooks"), "eval-turn", "--turn", "user")
		cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, "DISCOBOT_STATE_DIR="+state, "DISCOBOT_SESSION_ID=s1")
		return cmd
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	moments := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(state, "s1", "hooks")
	var runs int
	var pending bool
	for i := range kills {
		repo.Write("a.txt", strconv.Itoa(i))
		cmd := evaluate()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(moments.Int64N(int64(window)))) // the moment is what is random here
		_ = cmd.Process.Kill()                                   // it may have ended
		_ = cmd.Wait()                                           // killed, as intended
		now := readStatus(t, dir)
		if got := now.Hooks["h"].RunCount; got < runs {
			t.Fatalf("after %d kills: runCount went from %d to %d", i+1, runs, got)
		} else {
			runs = got
		}
		if has := slices.Contains(now.PendingHooks, "h"); pending && !has {
			t.Fatalf("after %d kills: the pending hook is lost", i+1)
		} else {
			pending = has
		}
	}
	var exit *exec.ExitError
	if err := evaluate().Run(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("an evaluation left alone: %v, want exit code 2", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := strings.TrimLeft(entry.Name(), "."); strings.ContainsAny(name, "0123456789") {
			t.Errorf("%s is left of a killed evaluation", entry.Name())
		}
	}
}

type statusFile struct {
	Hooks map[string]struct {
		RunCount int `json:"runCount"`
	} `json:"hooks"`
	PendingHooks []string `json:"pendingHooks"`
}

func readStatus(t *testing.T, dir string) (file statusFile) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "status.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return file
	}
	if err == nil {
		err = json.Unmarshal(content, &file)
	}
	if err != nil {
		t.Fatalf("status.json: %v", err)
	}
	return file
}
