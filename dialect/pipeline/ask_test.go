package pipeline_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/pipeline"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"discobot-hooks/internal/approval"
)

// receiver answers each message's link before it answers the message itself.
func receiver(t *testing.T, status int, post string) (url string, messages *int) {
	t.Helper()
	messages = new(int)
	link := regexp.MustCompile(`http://localhost:[0-9]+/callback/[A-Za-z0-9_-]+`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*messages++
		var body strings.Builder
		_ = r.Write(&body) // the request as it came
		if post != "" {
			response, err := http.Post(link.FindString(body.String()), "application/json", strings.NewReader(post))
			if err != nil || response.StatusCode != http.StatusOK {
				t.Errorf("answer: %v, %v", response, err)
			}
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, messages
}

const gate = "hooks:\n  on_stage_complete:\n    - type: webhook\n      url: \"${HOOK}\"\n      await: true\n      callback_port: 0\n      body: {text: \"${CALLBACK_URL}\"}\n"

// Somebody was told that the answer counts; what becomes of the message then is
// nothing to them.
func TestAnswerCountsAlthoughSendingFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer, keys string
		status             int
		want               hook.Status
	}{
		{"a rejection, and the receiver is broken", `{"action": "reject"}`, "", 500, hook.Blocked},
		{"an approval of a gate", `{"action": "approve"}`, "on_failure: abort", 500, hook.OK},
		{"nothing is sent again", `{"action": "approve"}`, "on_failure: retry", 503, hook.OK},
		{"the ordinary way", `{"action": "reject", "message": "no"}`, "", 200, hook.Blocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, messages := receiver(t, tt.status, tt.answer)
			p := newPlace(t, map[string]string{"loop.yaml": gate + "      " + tt.keys + "\n"})
			p.options.Env = append(p.options.Env, "HOOK="+url)
			report := p.emit("on_stage_complete", nil)
			if got := report.Hooks[0].Result.Status; got != tt.want || report.Blocked != (tt.want == hook.Blocked) || *messages != 1 {
				t.Errorf("status %s, blocked %v, %d messages; want %s and 1\n%s", got, report.Blocked, *messages, tt.want, p.log.String())
			}
			if report.Result["hook_response"] != tt.answer {
				t.Errorf("hook_response %q, want %q", report.Result["hook_response"], tt.answer)
			}
		})
	}
}

func TestUnsentQuestion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		keys string
		want hook.Status
	}{{"", hook.Failed}, {"on_failure: abort", hook.Blocked}} {
		url, _ := receiver(t, 500, "")
		p := newPlace(t, map[string]string{"loop.yaml": gate + "      " + tt.keys + "\n"})
		p.options.Env = append(p.options.Env, "HOOK="+url)
		for range 2 { // the second asks anew
			report := p.emit("on_stage_complete", nil)
			if got := report.Hooks[0].Result; got.Status != tt.want || !strings.Contains(got.Reason, "500 Internal Server Error") {
				t.Errorf("%q: %+v, want %s", tt.keys, got, tt.want)
			}
		}
	}
}

// Where nobody can be waited for on_timeout decides, and not on_failure, by
// which a gate would be passed.
func TestQuestionThatCannotBeWaitedFor(t *testing.T) {
	t.Parallel()
	busy := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(busy.Close)
	port := busy.URL[strings.LastIndexByte(busy.URL, ':')+1:]
	for keys, want := range map[string]hook.Status{"": hook.Blocked, "on_timeout: continue": hook.Failed} {
		url, messages := receiver(t, 200, "")
		p := newPlace(t, map[string]string{"loop.yaml": strings.Replace(gate, "callback_port: 0", "callback_port: "+port, 1) + "      " + keys + "\n"})
		p.options.Env = append(p.options.Env, "HOOK="+url)
		report := p.emit("on_stage_complete", nil)
		if got := report.Hooks[0].Result; got.Status != want || !strings.Contains(got.Reason, port) || *messages != 0 {
			t.Errorf("%q: %+v, %d messages; want %s and none", keys, got, *messages, want)
		}
	}
}

// What would make every gate fail, and with the document's defaults be passed,
// ends the event.
func TestWrongOptionsEndTheEvent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*pipeline.Options){
		"parse callback base URL":       func(o *pipeline.Options) { o.CallbackBaseURL = "hooks.example.com" },
		"read DISCOBOT_PIPELINE_ENGINE": func(o *pipeline.Options) { o.Engine = "[engine" },
	} {
		p := newPlace(t, map[string]string{"loop.yaml": gate})
		change(&p.options)
		if _, err := pipeline.New(p.options).Load(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Load = %v, want %s", err, name)
		}
	}
}

// A hook of all pipelines that spawns one spawns its own, too.
func TestPipelinesDoNotSpawnForEver(t *testing.T) {
	t.Parallel()
	p := spawnPlace(t, spawnHook+"      on_failure: abort\n", "#!/bin/sh\necho \"\\\"$DISCOBOT_PIPELINE_DEPTH\\\"\" > output.json\n")
	p.options.Env = append(p.options.Env, "DISCOBOT_PIPELINE_DEPTH=7")
	if report := p.emit("on_iteration_complete", nil); report.Result["spawn_output"] != `"8"` {
		t.Errorf("report %+v", report)
	}
	p.options.Env = append(p.options.Env, "DISCOBOT_PIPELINE_DEPTH=8")
	if report := p.emit("on_iteration_complete", nil); !report.Blocked || !strings.Contains(report.Reason, "pipelines spawn each other 8 deep") {
		t.Errorf("report %+v", report)
	}
}

// People have the link, and it leads to this port: nobody else's business there
// is a reason to pass the gate, or to give up before the deadline.
func TestResumedQuestionWaitsForItsPort(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		_ = r.Write(&body) // the request as it came
		received <- regexp.MustCompile(`http://localhost:[0-9]+/callback/[A-Za-z0-9_-]+`).FindString(body.String())
	}))
	t.Cleanup(server.Close)
	p := newPlace(t, map[string]string{"loop.yaml": gate + "      on_timeout: continue\n"})
	p.options.Env = append(p.options.Env, "HOOK="+server.URL)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.engine().Emit(ctx, &dialect.Event{Name: "on_stage_complete", Time: time.Now()})
		ended <- err
	}()
	link := <-received
	pending := func() bool {
		questions, err := approval.Pending(p.options.Approvals, time.Now())
		return err == nil && len(questions) == 1
	}
	for !pending() {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-ended
	host := strings.TrimPrefix(link, "http://")
	host = strings.Replace(host[:strings.IndexByte(host, '/')], "localhost", "127.0.0.1", 1)
	thief, err := net.Listen("tcp4", host)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan event.Report, 1)
	go func() {
		report, _ := p.engine().Emit(t.Context(), &dialect.Event{Name: "on_stage_complete", Time: time.Now()})
		answered <- report
	}()
	for !strings.Contains(p.logged(), "waiting for that") {
		time.Sleep(time.Millisecond)
	}
	_ = thief.Close()
	for {
		response, err := http.Post(link, "application/json", strings.NewReader(`{"action": "reject"}`))
		if err == nil && response.StatusCode == http.StatusOK {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if report := <-answered; !report.Blocked {
		t.Errorf("report %+v, want a block", report)
	}
}
