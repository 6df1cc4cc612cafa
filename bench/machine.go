package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

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
	git, _ := exec.Command("git", "version").Output() // where there is none the rows about git say so
	return fmt.Sprintf("%s, %d cores, %s, %s, %s", cpu, runtime.NumCPU(), kernel, runtime.Version(), strings.TrimSpace(string(git)))
}
