// Command bench times the program from outside, as an orchestrator or git
// starts it, against the least that the same work could cost, and against
// other managers of git hooks. See README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

func main() {
	runs := flag.Int("n", 300, "how many `RUNS` of each command count")
	fetch := flag.Bool("rivals", false, "fetch lefthook and prek from npm into the user's cache directory, and compare with them")
	flag.Parse()
	if err := bench(os.Stdout, *runs, *fetch); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// bench is run from the top of the repository.
func bench(out io.Writer, runs int, fetch bool) error {
	if runs < 1 || flag.NArg() > 0 {
		return errors.New("read flags: usage: bench [-n RUNS] [-rivals], with RUNS above 0")
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // what stays lies among the temporary files
	at := place(dir)
	if err := at.build(); err != nil {
		return err
	}
	events, err := at.eventPairs()
	if err != nil {
		return err
	}
	turns, err := at.turnPairs()
	if err != nil {
		return err
	}
	git, missing, err := at.gitPairs(fetch)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n%d runs of each, in turn\n\n", machine(), runs)
	if err := at.printTable(out, slices.Concat(events, git, turns), runs); err != nil {
		return err
	}
	if err := at.reportApprovals(out); err != nil {
		return err
	}
	for _, line := range missing {
		fmt.Fprintf(out, "\nleft out: %s\n", line)
	}
	return nil
}

func (at place) printTable(out io.Writer, pairs []pair, runs int) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "A\tB\tA median\tB median\tA/B median\tA/B 10%..90%\tA-B median\twanted")
	for _, p := range pairs {
		m, err := at.measure(p, runs)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.name, p.than, m, p.wanted)
	}
	return table.Flush()
}
