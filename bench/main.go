// Command bench times the program from outside, as an orchestrator starts it,
// against the least that the same work could cost: `sh -c` of the hook's
// command, and a program that does nothing. See README.md.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

const warmUps = 10 // runs of each that do not count: they fill the page cache

func main() {
	runs := flag.Int("n", 300, "how many `RUNS` of each command count")
	flag.Parse()
	if err := bench(os.Stdout, *runs); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// bench is run from the top of the repository.
func bench(out io.Writer, runs int) error {
	if runs < 1 || flag.NArg() > 0 {
		return errors.New("read flags: usage: bench [-n RUNS], with RUNS above 0")
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // what stays lies among the temporary files
	at := place(dir)
	if err := at.prepare(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n%d runs of each, in turn\n\n", machine(), runs)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "A\tB\tA median\tB median\tA/B median\tA/B 10%..90%")
	for _, p := range pairs {
		row, err := at.measure(p, runs)
		if err != nil {
			return err
		}
		fmt.Fprintln(table, row)
	}
	return table.Flush()
}

// A pair is two commands that are compared.
type pair struct {
	name string
	a    []string
	than string
	b    []string
}

var (
	version = []string{"../discobot-hooks", "version"}
	sh      = []string{"sh", "-c", "true"}
	pairs   = []pair{
		{"emit, hook `true`", []string{"../discobot-hooks", "emit", "SessionStart"}, "sh -c true", sh},
		{"emit, hook `./noop.sh`", []string{"../discobot-hooks", "emit", "SessionEnd"}, "sh -c ./noop.sh", []string{"sh", "-c", "./noop.sh"}},
		{"version", version, "an empty Go program", []string{"../empty"}},
		{"version", version, "sh -c true", sh},
	}
)

// A place is a directory with the two programs, a workspace and a home.
type place string

// The hooks do nothing; the second one is a script of its own, as most are.
var files = map[string]string{
	"empty.go":                             "package main\n\nfunc main() {}\n",
	"event.json":                           "{}\n",
	"home/.keep":                           "",
	"workspace/noop.sh":                    "#!/bin/sh\nexit 0\n",
	"workspace/.system/hooks/builtin.yaml": "id: builtin\nevent_type: SessionStart\nhandler: {kind: script, command: \"true\"}\n",
	"workspace/.system/hooks/script.yaml":  "id: script\nevent_type: SessionEnd\nhandler: {kind: script, command: ./noop.sh}\n",
}

func (at place) path(name string) string { return filepath.Join(string(at), filepath.FromSlash(name)) }

func (at place) prepare() error {
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(at.path(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at.path(name), []byte(content), 0o755); err != nil {
			return err
		}
	}
	for to, what := range map[string]string{"discobot-hooks": "./cmd/discobot-hooks", "empty": at.path("empty.go")} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", at.path(to), what) // as a release is
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", what, err, out)
		}
	}
	for _, p := range pairs[:2] { // or we would time an emit that runs nothing
		var out bytes.Buffer
		if _, err := at.run(append(p.a[:len(p.a):len(p.a)], "--json"), &out); err != nil {
			return err
		}
		if !strings.Contains(out.String(), `"status": "ok"`) {
			return fmt.Errorf("%s: no hook ran: %s", p.name, &out)
		}
	}
	return nil
}

// run runs a command in the workspace and returns how long it took, from
// before its start to after its end.
func (at place) run(argv []string, out io.Writer) (time.Duration, error) {
	event, err := os.Open(at.path("event.json"))
	if err != nil {
		return 0, err
	}
	defer event.Close() // read only
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout = at.path("workspace"), event, out
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + at.path("home")}
	started := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("run %s: %w", strings.Join(argv, " "), err)
	}
	return time.Since(started), nil
}

// measure runs the two in turn, so that what else the machine does falls on
// both, and compares each run with its neighbour.
func (at place) measure(p pair, runs int) (row string, err error) {
	var as, bs []time.Duration
	var ratios []float64
	for i := -warmUps; i < runs; i++ {
		a, err := at.run(p.a, nil)
		if err != nil {
			return "", err
		}
		b, err := at.run(p.b, nil)
		if err != nil {
			return "", err
		}
		if i >= 0 {
			as, bs, ratios = append(as, a), append(bs, b), append(ratios, float64(a)/float64(b))
		}
	}
	return fmt.Sprintf("%s\t%s\t%.2f ms\t%.2f ms\t%.2f\t%.2f..%.2f", p.name, p.than,
		milliseconds(quantile(as, 0.5)), milliseconds(quantile(bs, 0.5)),
		quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9)), nil
}

// quantile of at least one value; q is below 1.
func quantile[T cmp.Ordered](values []T, q float64) T {
	return slices.Sorted(slices.Values(values))[int(q*float64(len(values)))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// machine says in a line what the numbers are about.
func machine() string {
	cpu, kernel := runtime.GOARCH, runtime.GOOS
	info, _ := os.ReadFile("/proc/cpuinfo") // not there but on Linux: the above has to do
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel += " " + strings.TrimSpace(string(release))
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", cpu, runtime.NumCPU(), kernel, runtime.Version())
}
