package discobothooks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A receiver is a chat program's incoming webhook, as it looks to who sends.
type receiver struct {
	statuses []int // of the first answers; 200 afterwards
	unfurls  bool  // it fetches links for a preview before people see them
	slow     bool  // it answers when it is asked for what came
	release  chan struct{}
	previews []int // what came of that

	mu       sync.Mutex
	came     sync.Cond
	messages []message
}

type message struct{ method, path, contentType, body string }

type receiversKey struct{}

// receivers are those of one script.
type receivers map[string]*receiver

// receiverCommand starts a server: receiver NAME [unfurls] [slow] [STATUS...].
// $NAME is its address.
func receiverCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: receiver NAME [unfurls] [slow] [STATUS...]")
	}
	r := &receiver{release: make(chan struct{})}
	r.came.L = &r.mu
	for _, arg := range args[1:] {
		if arg == "unfurls" || arg == "slow" {
			r.unfurls, r.slow = r.unfurls || arg == "unfurls", r.slow || arg == "slow"
			continue
		}
		status, err := strconv.Atoi(arg)
		ts.Check(err)
		r.statuses = append(r.statuses, status)
	}
	server := httptest.NewServer(r)
	ts.Defer(server.Close)
	ts.Value(receiversKey{}).(receivers)[args[0]] = r
	ts.Setenv(args[0], server.URL+"/services/T0/B0/secret-of-"+args[0])
}

var link = regexp.MustCompile(`https?://[^\s"'<>|\\]+`)

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.unfurls {
		for _, found := range link.FindAllString(string(body), -1) {
			r.preview(found)
		}
	}
	if r.slow {
		<-r.release
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	status := http.StatusOK
	if n := len(r.messages); n < len(r.statuses) {
		status = r.statuses[n]
	}
	r.messages = append(r.messages, message{request.Method, request.URL.Path, request.Header.Get("Content-Type"), string(body)})
	r.came.Broadcast()
	w.WriteHeader(status)
}

// preview does what Slackbot-LinkExpanding does.
func (r *receiver) preview(link string) {
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		request, err := http.NewRequest(method, link, nil)
		if err != nil {
			continue
		}
		status := 0
		if response, err := http.DefaultClient.Do(request); err == nil {
			status = response.StatusCode
			_ = response.Body.Close()
		}
		r.mu.Lock()
		r.previews = append(r.previews, status)
		r.mu.Unlock()
	}
}

// await waits until there are n messages.
func (r *receiver) await(n int) ([]message, error) {
	late := time.AfterFunc(20*time.Second, r.came.Broadcast)
	defer late.Stop()
	deadline := time.Now().Add(20 * time.Second)
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.messages) < n {
		if !time.Now().Before(deadline) {
			return nil, fmt.Errorf("%d messages came, want %d", len(r.messages), n)
		}
		r.came.Wait()
	}
	return r.messages, nil
}

// receivedCommand prints what came, once N messages have: received NAME N
// FILE.
func receivedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: received NAME N FILE")
	}
	r := ts.Value(receiversKey{}).(receivers)[args[0]]
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if r.slow {
		close(r.release)
	}
	messages, err := r.await(n)
	ts.Check(err)
	if len(messages) != n {
		ts.Fatalf("%d messages came, want %d", len(messages), n)
	}
	var out strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&out, "%s %s %s\n%s\n", m.method, m.path, m.contentType, m.body)
	}
	for _, status := range r.previews {
		fmt.Fprintf(&out, "preview %d\n", status)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(out.String()), 0o644))
}

// personCommand is somebody who gets the last message of a receiver, follows
// the link of an action and presses that button: person NAME ACTION [MESSAGE].
// The pages are in page.html and decided.html. With ! the answer comes too
// late to count.
func personCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: person NAME ACTION [MESSAGE]")
	}
	messages, err := ts.Value(receiversKey{}).(receivers)[args[0]].await(1)
	ts.Check(err)
	address, err := linkOf(messages[len(messages)-1].body, args[1])
	ts.Check(err)
	page, status, err := browse(http.MethodGet, address, nil)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("page.html"), []byte(page), 0o644))
	if button := fmt.Sprintf(`value="%s"`, args[1]); status == http.StatusOK && !neg && !strings.Contains(page, button) {
		ts.Fatalf("the page has no button %s:\n%s", button, page)
	}
	form := url.Values{"action": {args[1]}, "message": args[2:]}
	decided, status, err := browse(http.MethodPost, address, form)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("decided.html"), []byte(decided), 0o644))
	if counted := status == http.StatusOK; counted == neg {
		ts.Fatalf("the answer was met with %d:\n%s", status, decided)
	}
}

// linkOf finds the link of an action in a message.
func linkOf(body, action string) (string, error) {
	for _, found := range link.FindAllString(body, -1) {
		if strings.Contains(found, "action="+action) {
			return found, nil
		}
	}
	return "", fmt.Errorf("no link with action=%s in %s", action, body)
}

// browse is a browser's request.
func browse(method, address string, form url.Values) (body string, status int, err error) {
	request, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, err
	}
	request.Header.Set("Accept", "text/html,application/xhtml+xml")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", request.URL.Scheme+"://"+request.URL.Host)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return string(content), response.StatusCode, err
}

// postCommand is a program that answers the last message's callback with JSON:
// post NAME JSON.
func postCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || !json.Valid([]byte(args[1])) {
		ts.Fatalf("usage: post NAME JSON")
	}
	messages, err := ts.Value(receiversKey{}).(receivers)[args[0]].await(1)
	ts.Check(err)
	found := link.FindString(messages[len(messages)-1].body)
	if found == "" {
		ts.Check(errors.New("the message has no link"))
	}
	response, err := http.Post(found, "application/json", strings.NewReader(args[1]))
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	if counted := response.StatusCode == http.StatusOK; counted == neg {
		ts.Fatalf("the answer was met with %d: %s", response.StatusCode, body)
	}
}
