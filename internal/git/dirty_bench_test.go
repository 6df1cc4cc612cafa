package git

import (
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/gittest"
)

// BenchmarkDirty is a look at a repository in which nothing changed: ours,
// git's, and the floor, which is one lstat(2) a file by names that are ready.
// DIRTY_FILES says how many files there are, 20 in a directory. On a machine
// with other work the median, the least and the processor's time say more than
// the mean does.
func BenchmarkDirty(b *testing.B) {
	made := gittest.New(b)
	for i := range numberFrom("DIRTY_FILES", 1000) {
		made.Write(fmt.Sprintf("part%d/package%03d/file%02d.go", i/20%10, i/20, i%20), fmt.Sprintf("package p%d\n", i))
	}
	base(made)
	time.Sleep(50 * time.Millisecond) // until stamps prove something
	made.Git("status")
	repo, err := Open(b.Context(), made.Dir, made.Env)
	if err != nil {
		b.Fatal(err)
	}
	measure := func(name string, look func() error) {
		b.Run(name, func(b *testing.B) {
			var walls []time.Duration
			before := processorTime()
			for b.Loop() {
				begun := time.Now()
				if err := look(); err != nil {
					b.Fatal(err)
				}
				walls = append(walls, time.Since(begun))
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
			slices.Sort(walls)
			b.ReportMetric(float64(walls[len(walls)/2]), "median-ns/op")
			b.ReportMetric(float64(walls[0]), "min-ns/op")
		})
	}
	measure("ours", func() error { _, err := repo.dirtyInProcess(b.Context()); return err })
	measure("git", func() error { _, err := repo.dirtyByGit(b.Context()); return err })
	var names []string
	for _, name := range SplitZ([]byte(made.Git("ls-files", "-z"))) {
		names = append(names, filepath.Join(made.Dir, name))
	}
	measure("floor", func() error {
		var stat unix.Stat_t
		for _, name := range names {
			if err := unix.Lstat(name, &stat); err != nil {
				return err
			}
		}
		return nil
	})
}

// processorTime is this process's and that of its children that have ended.
func processorTime() time.Duration {
	var all time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		must(syscall.Getrusage(who, &usage))
		all += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return all
}
