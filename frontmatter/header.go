package frontmatter

import (
	"bytes"
	"strings"

	"github.com/adrg/frontmatter"

	"discobot-hooks/internal/wording"
)

// line is one line of a file, without its end.
type line struct {
	number int // from 1
	text   string
}

// header is what stands between the delimiters, in lines without the comment
// sign.
type header struct {
	style string // the delimiter
	line  int    // of the first delimiter
	lines []line
}

// block is what adrg/frontmatter finds.
type block struct {
	style string
	text  []byte
}

var (
	styles  = []string{"---", "#---", "//---"}
	formats = newFormats()
)

func newFormats() []*frontmatter.Format {
	var out []*frontmatter.Format
	for _, style := range styles {
		out = append(out, frontmatter.NewFormat(style, style, func(data []byte, v any) error {
			*v.(*block) = block{style, data}
			return nil
		}))
	}
	return out
}

// parse makes the hook from the start of the file.
func (f *file) parse() {
	first := f.firstLine()
	body, truncated := f.head[first.end:], f.more
	if len(body) > headerLimit {
		body, truncated = body[:headerLimit], true
	}
	if truncated { // the last line may be cut
		body = body[:bytes.LastIndexByte(body, '\n')+1]
	}
	var b block
	rest, err := frontmatter.MustParse(bytes.NewReader(body), &b, formats...)
	if err != nil {
		f.noHeader(body, first.lines, truncated)
		if !f.counts {
			return
		}
	}
	f.checkFirstLine(first)
	f.checkMode()
	if err != nil {
		return
	}
	f.counts = true
	if b.style == "---" && first.shebang != "" {
		f.warnf(first.lines+1, "the interpreter runs the lines between --- as well: write %s instead of ---, and start each line with %s",
			styleFor(first.shebang), strings.TrimSuffix(styleFor(first.shebang), "---"))
	}

	// The closing delimiter is the last line before the rest; it may be the
	// last of the file, without a line end.
	before := bytes.TrimSuffix(body[:len(body)-len(rest)], []byte("\n"))
	closing := first.lines + bytes.Count(before, []byte("\n")) + 1
	h := header{style: b.style, line: closing - bytes.Count(b.text, []byte("\n")) - 1}
	h.lines = f.uncomment(b, h.line+1)
	f.fields(h)
}

func (f *file) checkMode() {
	if f.mode.Perm()&0o111 == 0 {
		f.errorf(0, "not executable: run chmod +x %s", wording.ShellWord(f.path()))
	}
}

// uncomment cuts a header into lines and takes the comment sign off each.
func (f *file) uncomment(b block, number int) []line {
	sign := strings.TrimSuffix(b.style, "---")
	var out []line
	for text := range strings.Lines(string(b.text)) {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		if bare := strings.TrimLeft(text, " \t"); sign != "" && bare != "" {
			var ok bool
			if text, ok = strings.CutPrefix(bare, sign); !ok {
				f.errorf(number, "a line of the header without %s: start it with %q", sign, sign+" ")
			}
			text = strings.TrimPrefix(text, " ")
			if !ok {
				text = ""
			}
		}
		out = append(out, line{number, text})
		number++
	}
	return out
}

// noHeader says what is in the way of a header. One that is begun makes the
// file a hook; without one it is none.
func (f *file) noHeader(body []byte, number int, truncated bool) {
	style, begun := "", 0
	for text := range strings.Lines(string(body)) {
		number++
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if begun > 0 {
			if looksLikeDelimiter(text) {
				f.errorf(begun, "the header is not closed: write %s in line %d, where %s is", style, number, wording.Quote(text))
				return
			}
			continue
		}
		if isDelimiter(text) {
			f.counts, style, begun = true, text, number
			continue
		}
		if looksLikeDelimiter(text) {
			f.warnf(number, "no header, so not a hook: %s looks like one, write #---, //--- or --- and nothing else in the line", wording.Quote(text))
			return
		}
		f.misplaced(body, number, text)
		return
	}
	switch {
	case begun > 0 && truncated:
		f.errorf(begun, "the header is longer than 64 KiB, or not closed: write %s after its last line", style)
	case begun > 0:
		f.errorf(begun, "the header is not closed: write %s after its last line", style)
	default:
		f.warnf(0, "no header, so not a hook: write one between two lines #--- after the #! line, or move the file out of this directory")
	}
}

// misplaced warns about a file whose first line, of this number and text, is
// not a header's.
func (f *file) misplaced(body []byte, number int, text string) {
	_, rest, _ := strings.Cut(string(body), text)
	for l := range strings.Lines(rest) {
		if l = strings.TrimSpace(l); isDelimiter(l) {
			f.warnf(number, "no header, so not a hook: the %s must come first, right after the #! line", l)
			return
		}
	}
	f.warnf(0, "no header, so not a hook: write one between two lines #--- after the #! line, or move the file out of this directory")
}

func isDelimiter(text string) bool {
	for _, style := range styles {
		if text == style {
			return true
		}
	}
	return false
}

// looksLikeDelimiter finds `# ---`, `#----`, `#--- hook` and the like.
func looksLikeDelimiter(text string) bool {
	bare := strings.TrimLeft(text, "#/;%*\"' \t")
	return strings.HasPrefix(bare, "---") || strings.HasPrefix(bare, "—") || strings.HasPrefix(bare, "–")
}
