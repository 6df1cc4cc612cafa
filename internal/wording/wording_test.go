package wording_test

import (
	"strings"
	"testing"
	"time"

	"discobot-hooks/internal/wording"
)

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "90s": 90 * time.Second, "2m": 2 * time.Minute, "24h": 24 * time.Hour,
		"0": 0, "-1": 0, "": 0, ".": 0, "1.": 0, "1e3": 0, "24h1s": 0, "soon": 0, "NaN": 0,
	} {
		got, err := wording.TimeLimit(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("TimeLimit(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	known := []string{"id", "event_type", "timeout"}
	others := map[string]string{"limit": "timeout", "gone": "unknown"}
	for key, want := range map[string]string{
		"event-type": "event_type", "EventTyp": "event_type", "time_out": "timeout", "limit": "timeout", "ids": "id",
		"gone": "", "xy": "", "abc": "", strings.Repeat("x", 1000): "",
	} {
		got := wording.DidYouMean(key, known, others)
		if want == "" && got != ", which does nothing: take it out" || want != "" && got != ": did you mean "+want+"?" {
			t.Errorf("DidYouMean(%.20q) = %q, want %q", key, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"STAGE", "ITERATION", "LAST_DECISION"}
	for key, want := range map[string]string{
		"iteration": "ITERATION", "ITERATON": "ITERATION", "LASTDECISION": "LAST_DECISION", "STAG": "STAGE", "STAIRS": "", "": "",
	} {
		if got, ok := wording.Nearest(key, known); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", key, got, ok, want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a": "`a`", "a\n\x1b[31mb": "`a b`", strings.Repeat("é", 61): "`" + strings.Repeat("é", 60) + "…`"} {
		if got := wording.Quote(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
}
