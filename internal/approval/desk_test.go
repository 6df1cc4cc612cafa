package approval

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each is refused, and consumes nothing: the question is still open after it.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	w := ask(t, Options{BaseURL: "https://hooks.example/a"}, Question{})
	port := w.record.Port
	token := w.URL()[strings.LastIndexByte(w.URL(), '/')+1:]
	root := "http://localhost:" + strconv.Itoa(port)
	own := root + "/callback/" + token + "?action=approve"
	form := func(more ...string) map[string]string {
		header := map[string]string{"Content-Type": formKind, "Accept": "text/html"}
		for i := 0; i < len(more); i += 2 {
			header[more[i]] = more[i+1]
		}
		return header
	}
	tests := map[string]struct {
		request
		status int
		says   string
	}{
		"no token":                {request{url: root + "/callback?action=approve"}, 404, ""},
		"another token":           {request{url: root + "/callback/" + token[1:] + "?action=approve"}, 404, ""},
		"a token with a tail":     {request{url: root + "/callback/" + token + "/x?action=approve"}, 404, ""},
		"another path":            {request{url: root + "/" + token + "?action=approve"}, 404, ""},
		"PUT of another token":    {request{method: "PUT", url: root + "/callback/x"}, 404, ""},
		"PUT":                     {request{method: "PUT", url: own}, 405, "POST answers"},
		"DELETE":                  {request{method: "DELETE", url: own}, 405, "POST answers"},
		"OPTIONS":                 {request{method: "OPTIONS", url: own}, 405, "POST answers"},
		"rebound name":            {request{url: own, host: "evil.example:" + strconv.Itoa(port)}, 421, "--callback-base-url"},
		"rebound name, GET":       {request{method: "GET", url: own, host: "evil.example"}, 421, "--callback-base-url"},
		"another site":            {request{url: own, header: form("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")}, 403, "another site"},
		"another port":            {request{url: own, header: form("Sec-Fetch-Site", "same-site", "Origin", "http://localhost:3000")}, 403, "another site"},
		"an old browser":          {request{url: own, header: form("Origin", "https://evil.example")}, 403, "another site"},
		"an origin that hides":    {request{url: own, header: form("Origin", "null")}, 403, "another site"},
		"an empty answer":         {request{url: root + "/callback/" + token}, 400, "POST {&#34;action&#34;"},
		"too large":               {request{url: own, body: strings.Repeat("x", 1<<20), header: form()}, 413, "64 KiB"},
		"another kind":            {request{url: own, body: "approve", header: map[string]string{"Content-Type": "text/plain"}}, 415, "JSON or a form"},
		"too large a header":      {request{url: own, header: map[string]string{"X": strings.Repeat("x", 64<<10)}}, 431, ""},
		"a name of control bytes": {request{url: own, body: "action=a%00", header: form()}, 400, "printable"},
	}
	for name, test := range tests {
		if name == "an empty answer" {
			test.header = map[string]string{"Accept": "text/html"}
		}
		status, header, body := test.send(t)
		if status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s: status %d, %s; want %d with %q", name, status, body, test.status, test.says)
		}
		if status == 405 && header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: Allow: %q", name, header.Get("Allow"))
		}
		if strings.Contains(body, token) || strings.Contains(fmt.Sprint(header), token) {
			t.Errorf("%s: the token is told: %v %s", name, header, body)
		}
		if look, _ := w.look(); look.Answer != nil {
			t.Fatalf("%s: it is an answer: %+v", name, look.Answer)
		}
	}
}

// Each of these decides.
func TestAcceptedRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path   string // with the token for T
		host   string
		header map[string]string
	}{
		"a program":                {path: "/callback/T"},
		"by the token's parameter": {path: "/callback?token=T"},
		"through a proxy":          {path: "/a/callback/T", host: "hooks.example"},
		"a proxy that cuts":        {path: "/callback/T", host: "hooks.example"},
		"a browser":                {path: "/callback/T", header: map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}},
		"a browser by a tunnel":    {path: "/callback/T", header: map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "https://hooks.example"}},
		"an old browser, tunnel":   {path: "/callback/T", header: map[string]string{"Origin": "https://hooks.example"}},
		"an old browser, proxy":    {path: "/a/callback/T", host: "hooks.example", header: map[string]string{"Origin": "https://hooks.example"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ask(t, Options{BaseURL: "https://hooks.example/a"}, Question{})
			token := w.URL()[strings.LastIndexByte(w.URL(), '/')+1:]
			header := map[string]string{"Content-Type": formKind}
			for key, value := range test.header {
				header[key] = value
			}
			link := "http://localhost:" + strconv.Itoa(w.record.Port) + strings.ReplaceAll(test.path, "T", token)
			status, _, body := request{url: link, host: test.host, body: "action=approve", header: header}.send(t)
			if status != http.StatusOK {
				t.Fatalf("status %d, %s", status, body)
			}
			if got, err := w.Answer(t.Context()); err != nil || got.Action != "approve" {
				t.Errorf("Answer = %+v, %v; want approve", got, err)
			}
		})
	}
}

// The process may end as soon as it has the answer; the person sees the page
// all the same.
func TestThePersonIsToldFirst(t *testing.T) {
	t.Parallel()
	w := ask(t, Options{}, Question{})
	recorder := httptest.NewRecorder()
	var flushed []bool
	d := &desk{now: time.Now, look: w.look, decide: w.decide, told: func() { flushed = append(flushed, recorder.Flushed) }}
	d.serve(reply{recorder, httptest.NewRequest(http.MethodPost, "/?action=approve", nil)})
	if diff := cmp.Diff([]bool{true}, flushed); diff != "" {
		t.Errorf("flushed when told mismatch (-want +got):\n%s", diff)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := ask(t, Options{}, Question{})
	for _, link := range []string{w.URL(), w.URL() + "x"} {
		_, header, _ := request{method: http.MethodGet, url: link, header: map[string]string{"Accept": "text/html"}}.send(t)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; style-src " + styleSource() + "; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// Who opens connections and says nothing, or a byte now and then, takes
// neither descriptors nor the one honest person's place.
func TestSlowloris(t *testing.T) {
	t.Parallel()
	w := ask(t, Options{}, Question{})
	address := "127.0.0.1:" + strconv.Itoa(portOf(t, w.URL()))
	const crowd = 5 * maxGuests
	for i := range crowd {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 {
			_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: ", w.URL()) // may have been shown out
		}
	}
	begin := time.Now()
	status, _, body := request{url: w.URL() + "?action=approve"}.send(t)
	if status != http.StatusOK {
		t.Errorf("POST: status %d, %s", status, body)
	}
	if took := time.Since(begin); took > headerTimeout/2 {
		t.Errorf("it took %v", took)
	}
	if got, err := w.Answer(t.Context()); err != nil || got.Action != "approve" {
		t.Errorf("Answer = %+v, %v; want approve", got, err)
	}
	begin = time.Now()
	if err := w.Done(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > farewell {
		t.Errorf("Done took %v", took)
	}
}

// Those who have shown the token stay longer than those who have not.
func TestWhoLeaves(t *testing.T) {
	t.Parallel()
	g := &guests{}
	for range maxGuests {
		if leaving := g.add(&guest{house: g}); leaving != nil {
			t.Fatal("somebody leaves while there is room")
		}
	}
	for _, c := range g.all[:maxGuests-1] {
		c.spoke = true
	}
	silent, oldest, late := g.all[maxGuests-1], g.all[0], &guest{house: g, spoke: true}
	if leaving := g.add(late); leaving != silent {
		t.Error("who has the token leaves before who has not")
	}
	if leaving := g.add(&guest{house: g}); leaving != oldest {
		t.Error("the oldest stays")
	}
	if len(g.all) != maxGuests {
		t.Errorf("%d are inside, want %d", len(g.all), maxGuests)
	}
}

// A process that waits for a day should cost little.
func TestMemory(t *testing.T) {
	t.Parallel()
	p := start(t, "wait", t.TempDir(), "key", "GORACE=")
	link := p.hear(t).URL
	for range 20 {
		request{method: http.MethodGet, url: link}.send(t)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Skip("only Linux tells: ", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB", kib)
	if kib > 20<<10 && !raceDetector {
		t.Errorf("a process that waits takes %d KiB, want 20 MiB at most", kib)
	}
}
