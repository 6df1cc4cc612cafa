package approval

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// screenshots names a directory that gets pictures of the pages.
const screenshots = "APPROVAL_SCREENSHOTS"

// browserPatience is for a browser's start on a busy machine.
const browserPatience = time.Minute

// A tab is one of a real browser, with what it complained of and fetched.
type tab struct {
	context.Context
	mu         sync.Mutex
	complaints []string
	fetched    []string
}

// browse starts a browser. Without the sandbox, which containers and root
// cannot have: it sees nothing but our page.
func browse(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("needs chromium, chromium-browser or google-chrome in PATH")
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(browserPatience),
	})
	// Not the test's context, which ends before the clean-up.
	ctx, cancel := context.WithTimeout(context.Background(), 2*browserPatience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, _ = chromedp.NewContext(ctx)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // the browser removes its files, where it is not killed
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

func openTab(t *testing.T, browser context.Context) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	opened := &tab{Context: ctx}
	if err := chromedp.Listen(ctx, opened.note); err != nil {
		t.Fatal(err)
	}
	return opened
}

func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		// It reports each answer of 410 and 404, which are no faults.
		if e.Entry.Source != log.EntrySourceNetwork {
			b.complaints = append(b.complaints, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		b.fetched = append(b.fetched, e.Request.URL)
	}
}

func (b *tab) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		t.Fatal(err)
	}
}

func get[T any](t *testing.T, b *tab, what chromedp.Action[T]) T {
	t.Helper()
	value, err := chromedp.Run(b, what)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// click presses a button and waits for the page that follows.
func (b *tab) click(t *testing.T, button chromedp.CSS) (text string) {
	t.Helper()
	if _, err := chromedp.RunResponse(b, chromedp.Click(button)); err != nil {
		t.Fatal(err)
	}
	return get(t, b, chromedp.Text(chromedp.CSS("main")))
}

// picture writes what the tab shows, if somebody wants to look.
func (b *tab) picture(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	content := get(t, b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

type look struct {
	name          string
	width, height int64
	mobile        bool
	scheme        string
}

func (b *tab) as(t *testing.T, l look) {
	t.Helper()
	_, err := chromedp.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: l.width, Height: l.height, DeviceScaleFactor: 2, Mobile: l.mobile})
	if err != nil {
		t.Fatal(err)
	}
	_, err = chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
	if err != nil {
		t.Fatal(err)
	}
}

// looks are a phone as small as they are made, and a desktop.
func looks() []look {
	return []look{
		{"phone-light", 360, 740, true, "light"}, {"phone-dark", 360, 740, true, "dark"}, {"phone-tiny", 320, 568, true, "light"},
		{"desktop-light", 1280, 860, false, "light"}, {"desktop-dark", 1280, 860, false, "dark"},
	}
}

// People open the link in two tabs; a click in one decides, and the other
// finds out.
func TestBrowser(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	q := exampleQuestion()
	q.Asked, q.Deadline = time.Now(), time.Now().Add(time.Hour)
	q.Text += "\n\nA name without any spaces: " + strings.Repeat("long", 40)
	w := ask(t, Options{}, q)
	link := w.URL() + "?action=approve"
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		if status, _, _ := (request{method: method, url: link}).send(t); status != http.StatusOK {
			t.Errorf("a preview by %s: status %d", method, status)
		}
	}

	first, second := openTab(t, browser), openTab(t, browser)
	for _, b := range []*tab{first, second} {
		b.do(t, chromedp.Navigate(link), chromedp.WaitVisible(chromedp.CSS("button.yes")))
	}
	for _, l := range looks() {
		first.as(t, l)
		if wide := get(t, first, chromedp.Evaluate[float64](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); wide > 0 {
			t.Errorf("%s: the page scrolls sideways by %v pixels", l.name, wide)
		}
		// WCAG 2.2, 2.5.5
		if high := get(t, first, chromedp.Evaluate[float64](`Math.min(...[...document.querySelectorAll("button")].map(b => b.getBoundingClientRect().height))`)); high < 44 {
			t.Errorf("%s: a button is %v pixels high", l.name, high)
		}
		first.picture(t, "question-"+l.name)
	}
	if look, _ := w.look(); look.Answer != nil {
		t.Fatal("looking has decided")
	}

	first.do(t, chromedp.SendKeys(chromedp.CSS("textarea"), "looks good\nship <it>"))
	if text := first.click(t, "button[value=approve]"); !strings.Contains(text, "Decided: approve") || strings.Contains(text, "changed nothing") {
		t.Errorf("the page says %q", text)
	}
	got, err := w.Answer(t.Context())
	if err != nil || got.Action != "approve" || got.Message != "looks good\nship <it>" {
		t.Errorf("Answer = %+v, %v; want approve with the message", got, err)
	}
	if text := second.click(t, "button[value=reject]"); !strings.Contains(text, "Decided: approve") || !strings.Contains(text, "changed nothing") {
		t.Errorf("the second page says %q", text)
	}
	for _, l := range looks() {
		first.as(t, l)
		first.picture(t, "decided-"+l.name)
		second.as(t, l)
		second.picture(t, "late-"+l.name)
	}
	for _, b := range []*tab{first, second} {
		b.keptToItself(t, "http://localhost:"+strconv.Itoa(portOf(t, w.URL()))+"/")
	}
}

// keptToItself checks that the page broke no policy and asked nobody else.
func (b *tab) keptToItself(t *testing.T, origin string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 {
		t.Errorf("the browser complains: %q", b.complaints)
	}
	if len(b.fetched) == 0 {
		t.Error("nothing is known of what the page fetches")
	}
	for _, address := range b.fetched {
		if !strings.HasPrefix(address, origin) {
			t.Errorf("the page fetches %s", address)
		}
	}
}

// A page that breaks its policy is noticed, or the test above says nothing.
func TestBrowserComplains(t *testing.T) {
	t.Parallel()
	b := openTab(t, browse(t))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setHeaders(w.Header(), styleSource())
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<style>p{color:red}</style><p>text")) // a test's page
	}))
	defer server.Close()
	b.do(t, chromedp.Navigate(server.URL), chromedp.WaitVisible(chromedp.CSS("p")))
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.complaints, func(text string) bool { return strings.Contains(text, "Content Security Policy") }) {
		t.Errorf("the browser complains %q, want a broken policy", b.complaints)
	}
}

// A form on a page of another site cannot answer, even with the token.
func TestBrowserFromAnotherSite(t *testing.T) {
	t.Parallel()
	b := openTab(t, browse(t))
	w := ask(t, Options{}, Question{})
	page := `data:text/html,<form method=post action="` + w.URL() + `"><button name=action value=approve>go</button></form>`
	b.do(t, chromedp.Navigate(page))
	if text := b.click(t, "button"); !strings.Contains(text, "another site") {
		t.Errorf("the page says %q", text)
	}
	if look, _ := w.look(); look.Answer != nil {
		t.Error("another site has decided")
	}
}
