package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// crowd is how many approvals are asked for at once.
const crowd = 200

const approvalHook = `hooks:
  on_stage_complete:
    - {type: webhook, url: "${RECEIVER}", await: true, on_failure: abort, body: {text: "${SESSION} ${CALLBACK_URL}?action=approve"}}
`

var callback = regexp.MustCompile(`http://localhost:([0-9]+)/callback/[A-Za-z0-9_-]+`)

// reportApprovals has many processes wait for an approval at once, weighs one
// and answers all.
func (at place) reportApprovals(out io.Writer) error {
	if err := at.write("workspace/approval.yaml", approvalHook); err != nil {
		return err
	}
	asked := make(chan string, crowd)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what is cut off has no link
		asked <- callback.FindString(string(body))
	}))
	defer server.Close()
	started := time.Now()
	waiting := make([]*exec.Cmd, crowd)
	for i := range waiting {
		cmd := at.waiting(server.URL, i)
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Process.Kill() // it has ended where all is well
		waiting[i] = cmd
	}
	links, err := collect(asked)
	if err != nil {
		return err
	}
	all := time.Since(started)
	resident, own := memory(waiting)
	if err := answer(links); err != nil {
		return err
	}
	for _, cmd := range waiting {
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("emit: %w\n%s", err, cmd.Stderr)
		}
	}
	fmt.Fprintf(out, "\n%d approvals at once: all asked on their own ports after %v, all approved after %v\n", crowd, all.Round(time.Millisecond), time.Since(started).Round(time.Millisecond))
	fmt.Fprintf(out, "a process that waits: %s resident at most, %s of it its own (wanted: below 20 MB)\n", megabytes(resident), megabytes(own))
	return nil
}

func (at place) waiting(receiver string, i int) *exec.Cmd {
	cmd := exec.Command(at.path("bin/discobot-hooks"), "emit", "on_stage_complete", "--stage", "approval.yaml")
	cmd.Dir = at.path("workspace")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session": "s%d"}`, i))
	cmd.Stderr = &bytes.Buffer{}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + at.path("home"), "RECEIVER=" + receiver}
	return cmd
}

// collect waits until everybody has asked, each with a port of its own.
func collect(asked <-chan string) ([]string, error) {
	late := time.After(time.Minute)
	var links, ports []string
	for len(links) < crowd {
		select {
		case link := <-asked:
			found := callback.FindStringSubmatch(link)
			if found == nil {
				return nil, errors.New("ask for approval: a message has no link")
			}
			links, ports = append(links, link), append(ports, found[1])
		case <-late:
			return nil, fmt.Errorf("ask for approval: %d of %d have asked after a minute", len(links), crowd)
		}
	}
	slices.Sort(ports)
	if n := len(slices.Compact(ports)); n != crowd {
		return nil, fmt.Errorf("ask for approval: %d of %d have a port of their own", n, crowd)
	}
	return links, nil
}

func answer(links []string) error {
	for _, link := range links {
		response, err := http.Post(link, "application/json", strings.NewReader(`{"action": "approve"}`))
		if err != nil {
			return fmt.Errorf("approve: %w", err)
		}
		_ = response.Body.Close() // the status says it
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("approve: %s", response.Status)
		}
	}
	return nil
}

// memory is what the largest process has, in bytes: all that is resident, the
// program's own file too, and what no other process shares. Zero where the
// system does not say.
func memory(processes []*exec.Cmd) (resident, own int) {
	for _, cmd := range processes {
		rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", cmd.Process.Pid))
		if err != nil {
			continue
		}
		resident = max(resident, field(rollup, "Rss:"))
		own = max(own, field(rollup, "Private_Clean:")+field(rollup, "Private_Dirty:"))
	}
	return resident, own
}

// field is a line of proc_pid_smaps_rollup(5), which are in kB.
func field(rollup []byte, name string) int {
	for line := range strings.Lines(string(rollup)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == name {
			n, _ := strconv.Atoi(words[1]) // the kernel writes numbers
			return n << 10
		}
	}
	return 0
}

func megabytes(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
