package advice

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discobot-hooks/internal/safename"
)

func TestLines(t *testing.T) {
	t.Parallel()
	a, b := line("bd-a", nil), line("bd-b", nil)
	closed := `{"id":"bd-a","title":"x","issue_type":"task","status":"closed"}`
	const advised = ": write one issue a line, or take the line out"
	for _, test := range []struct {
		name     string
		text     string
		want     []string
		problems []string
	}{
		{"1a.16 blank lines", "\n" + a + "\n \n\r\n" + b + "\n\n", []string{"bd-a", "bd-b"}, nil},
		{"1a.16 CRLF, byte order mark, no final newline", "\ufeff" + a + "\r\n" + b, []string{"bd-a", "bd-b"}, nil},
		{"1a.16 merge markers", lines("<<<<<<< HEAD", a, "=======", b, ">>>>>>> x"), []string{"bd-a", "bd-b"}, []string{
			"warning -:1: line skipped: it is no JSON object: invalid character '<' looking for beginning of value" + advised,
			"warning -:3: line skipped: it is no JSON object: invalid character '=' looking for beginning of value" + advised,
			"warning -:5: line skipped: it is no JSON object: invalid character '>' looking for beginning of value" + advised,
		}},
		{"1a.16 a line cut short", lines(a, b[:len(b)/2]), []string{"bd-a"}, []string{
			"warning -:2: line skipped: it is no JSON object: unexpected end of JSON input" + advised,
		}},
		{"1a.16 no id", lines(line("bd-a", values{"id": 5}), "null", b), []string{"bd-b"}, []string{
			`warning -:1: line skipped: it has no "id" that is a string` + advised,
			`warning -:2: line skipped: it has no "id" that is a string` + advised,
		}},
		{"1a.16 other records", lines(a, `{"_type":"memory","key":"k"}`, line("bd-b", values{"_type": "memory"}), line("bd-c", values{"_type": "issue"})), []string{"bd-a", "bd-c"}, []string{
			`warning -:2: 2 skipped: "_type" says that this is no issue; an advice has "_type": "issue", or none`,
		}},
		{"1a.16 the last line wins: closed", lines(a, b, line("bd-a", values{"status": "closed"})), []string{"bd-b"}, nil},
		{"1a.16 the last line wins: no advice any more", lines(a, closed), nil, nil},
		{"1a.16 the last line wins: closed as others write it", lines(a, `{"title":"x", "id" : "bd-a" , "status":"closed"}`), nil, nil},
		{"1a.16 the last line wins: an id in escapes", lines(a, `{"id":"bd\u002da","status":"closed"}`), nil, nil},
		{"1a.16 the last line wins: a key in escapes", lines(a, `{"id":"bd-b","\u0069d":"bd-a","status":"closed"}`), nil, nil},
		{"1a.16 the last line wins: a second id", lines(a, `{"id":"bd-b","id":"bd-a","status":"closed"}`), nil, nil},
		{"1a.16 the last line wins: an id further inside is none", lines(a, `{"id":"bd-b","comments":[{"id":"bd-a"}],"status":"closed"}`), []string{"bd-a"}, nil},
		{"1a.16 the last line wins: opened again", lines(a, closed, a), []string{"bd-a"}, nil},
		{"1a.16 the last line wins: a value of the wrong type", lines(a, line("bd-a", values{"priority": "high"})), nil, []string{
			"error -:2: bd-a: priority must be a number from 0 to 4",
		}},
		{"1a.16 the last line wins: broken, so the one before", lines(a, `{"id":"bd-a","status":closed}`), []string{"bd-a"}, []string{
			"warning -:2: line skipped: it is no JSON object: invalid character 'c' looking for beginning of value" + advised,
		}},
		{"a word in escapes", `{"id":"bd-a","issue_type":"\u0061dvice","status":"open","advice\u005fhook_command":"x"}`, nil, []string{
			"error -:1: bd-a: advice_hook_command never runs without advice_hook_trigger: write one of session-end, before-commit, before-push, before-handoff",
		}},
		{"a line of 100 KB", lines(line("bd-a", values{"description": strings.Repeat("x", 100_000)}), b), []string{"bd-a", "bd-b"}, nil},
		{"a line past the limit", lines(a, strings.Repeat("x", lineLimit+1), b), []string{"bd-a", "bd-b"}, []string{
			"warning -:2: line skipped: it is longer than 4 MiB" + advised,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := loadText(t, test.text)
			if diff := cmp.Diff(test.want, ids(set)); diff != "" {
				t.Errorf("hooks mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.problems, words(set.Problems)); diff != "" {
				t.Errorf("problems mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManyBrokenLinesAreFewProblems(t *testing.T) {
	t.Parallel()
	set := loadText(t, strings.Repeat("x\n", 1000))
	if n := len(set.Problems); n != namedLines+1 {
		t.Errorf("%d problems", n)
	}
	if want := "980 more lines skipped: write one issue a line"; set.Problems[0].Message != want {
		t.Errorf("the first is %q, want %q", set.Problems[0].Message, want)
	}
}

// FuzzRead compares with a reader that decodes every line.
func FuzzRead(f *testing.F) {
	a := line("bd-a", nil)
	f.Add([]byte(lines(a, line("bd-b", values{"priority": "x"}), `{"id":"bd-a","status":"closed"}`)))
	f.Add([]byte(lines("<<<<<<< x", a, `{"id":"bd-a","\u0069d":"bd-b"}`, `{"_type":"issue","id":"bd-a"}`)))
	f.Add([]byte(lines(a, `{"_type":"issue", "id" : "bd-a","_type":"memory"}`, `{"id":"bd-a","comments":[{"id":5}]}`)))
	f.Add([]byte("\ufeff" + documented))
	f.Add([]byte(strings.ReplaceAll(documented, "\n", "") + "\r\n{}\n[]\n\"id\"\n{\"id\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := read(bytes.NewReader(text), "-")
		if err != nil {
			t.Fatal(err)
		}
		want, all := issues{last: map[string]*Advice{}}, map[string]bool{}
		for i, line := range bytes.Split(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n")) {
			_ = want.take(i+1, bytes.TrimSpace(line))
			if a, err := decode(bytes.TrimSpace(line)); err == nil {
				all[a.ID] = true
			}
		}
		if diff := cmp.Diff(want.last, got.last, cmpopts.IgnoreUnexported(Advice{})); diff != "" {
			t.Errorf("%q mismatch (-every line decoded +got):\n%s", text, diff)
		}
		// A line that is broken behind its id has an id nevertheless: to
		// take one more for taken does no harm.
		ids, err := readIDs(bytes.NewReader(text))
		for _, id := range slices.Collect(maps.Keys(all)) {
			if !ids[id] || err != nil {
				t.Errorf("%q: id %q is not found: %v", text, id, err)
			}
		}
		out := sift(got, "-")
		for _, a := range out.runnable {
			if !safename.Is(a.ID, idMax) || a.Status != "open" || !slices.Contains(ValidAdviceHookTriggers, a.HookTrigger) || a.HookTimeout < 0 {
				t.Errorf("%q runs", a)
			}
		}
		for _, p := range out.problems {
			if p.Line < 0 || p.Line > bytes.Count(text, []byte("\n"))+1 || strings.ContainsAny(p.Message, "\n\x1b") {
				t.Errorf("%q: %v", text, p)
			}
		}
	})
}

// BenchmarkRead has 100,000 issues of 600 bytes, of which 20 are advice.
func BenchmarkRead(b *testing.B) {
	for _, kind := range []string{"beads", "typed", "sorted"} {
		var text strings.Builder
		for i := range 100_000 {
			switch {
			case i%5000 == 0:
				text.WriteString(line(fmt.Sprintf("bd-adv-%d", i), nil))
			case kind == "beads":
				fmt.Fprintf(&text, `{"id":"bd-%d","title":"x","description":"%s","issue_type":"task","status":"open"}`, i, strings.Repeat("words \\u003c and ", 33))
			case kind == "typed":
				fmt.Fprintf(&text, `{"_type":"issue","id":"bd-%d","title":"x","description":"%s","issue_type":"task","status":"open"}`, i, strings.Repeat("words \\u003c and ", 33))
			default:
				fmt.Fprintf(&text, `{"description":"%s","id":"bd-%d","issue_type":"task","status":"open","title":"x"}`, strings.Repeat("words \\u003c and ", 33), i)
			}
			text.WriteByte('\n')
		}
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				in, err := read(strings.NewReader(text.String()), "-")
				if err != nil || len(in.last) != 20 {
					b.Fatal(len(in.last), err)
				}
			}
		})
	}
}
