// Package temporal_test runs the two programs as real processes against a real
// Temporal server in the process of the tests.
package temporal_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"go.temporal.io/server/temporaltest"
)

// What all tests share: set once, before any begins.
var (
	server *temporaltest.TestServer
	bin    string // the directory with the programs
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "temporal")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", slices.Concat([]string{"build", "-o", bin}, raceFlags, []string{"./cmd/..."})...)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	server = temporaltest.NewServer()
	defer server.Stop()
	status := m.Run()
	races, err := filepath.Glob(raceLog() + "*")
	if err != nil || len(races) == 0 {
		return status
	}
	report, _ := os.ReadFile(races[0]) // that there is one is bad enough
	fmt.Fprintf(os.Stderr, "%d processes had data races; one of them:\n%s", len(races), report)
	return 1
}

// raceLog is where the programs' race detector writes.
func raceLog() string { return filepath.Join(bin, "race") }

func program(name string) string { return filepath.Join(bin, name) }
