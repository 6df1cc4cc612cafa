package approval

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"
)

// A desk answers requests, of people's browsers and of programs.
type desk struct {
	base        *base // nil: none
	port        int
	tokenSHA256 []byte
	now         func() time.Time

	look   func() (r record, asked bool)
	decide func(answerRecord) (r record, counts bool, err error)
	told   func() // the one whose answer counts has been told; may be nil
}

// handler lets through who may be here: requests to our name, with the
// token, and no POSTs that a page of another site had a browser send.
func (d *desk) handler() http.Handler {
	protection := http.NewCrossOriginProtection()
	if d.base != nil {
		_ = protection.AddTrustedOrigin(d.base.origin) // parseBase has checked it
	}
	style := styleSource()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header(), style)
		out := reply{w, r}
		if !d.base.knows(r.Host, d.port) {
			out.fault(http.StatusMisdirectedRequest, "This server does not go by that name. Whoever started it can name it with --callback-base-url.")
			return
		}
		if !d.admits(r) {
			http.NotFound(w, r) // says nothing
			return
		}
		hear(r)
		if err := protection.Check(r); err != nil {
			out.fault(http.StatusForbidden, "A page of another site has sent this. Open the link itself, and press the button there.")
			return
		}
		d.serve(out)
	})
}

func setHeaders(h http.Header, style string) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src "+style+"; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	// With no-referrer browsers would send "Origin: null" with the form.
	h.Set("Referrer-Policy", "same-origin")
}

// admits compares hashes, so that the time it takes tells nothing.
func (d *desk) admits(r *http.Request) bool {
	token, ok := d.base.token(r.URL)
	hash := sha256.Sum256([]byte(token))
	return ok && subtle.ConstantTimeCompare(hash[:], d.tokenSHA256) == 1
}

func (d *desk) serve(out reply) {
	known, asked := d.look()
	switch method := out.r.Method; {
	case method != http.MethodGet && method != http.MethodHead && method != http.MethodPost:
		out.w.Header().Set("Allow", "GET, HEAD, POST")
		out.fault(http.StatusMethodNotAllowed, "GET shows the question, POST answers it.")
	case !asked:
		out.w.Header().Set("Retry-After", "1")
		out.fault(http.StatusServiceUnavailable, "Nothing has been asked yet. Try again in a moment.")
	case known.Answer != nil && method == http.MethodPost:
		out.decided(http.StatusGone, known, d.now())
	case known.Answer != nil:
		out.decided(http.StatusOK, known, d.now())
	case !d.now().Before(known.Question.Deadline):
		out.fault(http.StatusGone, "The time to answer is over: it ended at "+clock(known.Question.Deadline)+".")
	case method == http.MethodPost:
		d.take(out)
	default: // chat programs fetch links to preview them, so this changes nothing
		out.ask(known.Question, out.r.URL.Query().Get("action"), d.now())
	}
}

// take has an answer count.
func (d *desk) take(out reply) {
	answer, err := readAnswer(out.w, out.r)
	if refused, ok := errors.AsType[*refusal](err); ok {
		out.fault(refused.status, refused.hint)
		return
	}
	answer.At = d.now()
	known, counts, err := d.decide(answer)
	switch {
	case err != nil:
		out.fault(http.StatusInternalServerError, "The answer could not be kept, so it does not count. Try again; the disk may be full.")
	case counts:
		if d.told != nil {
			defer d.told()
		}
		out.decided(http.StatusOK, known, d.now())
		_ = http.NewResponseController(out.w).Flush() // gone: the answer counts all the same
	case known.Answer != nil:
		out.decided(http.StatusGone, known, d.now())
	default:
		out.fault(http.StatusGone, "Nobody waits for the answer any more.")
	}
}
