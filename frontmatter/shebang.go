package frontmatter

import (
	"bytes"
	"path"
	"strings"
)

// first is what stands before the header.
type first struct {
	bom     bool
	shebang string // the line, as it is; empty: none
	line    int    // of the shebang
	lines   int    // how many lines to skip
	end     int    // how many bytes to skip
}

// firstLine finds the `#!` line, also where it does not help.
func (f *file) firstLine() first {
	var out first
	data, bom := bytes.CutPrefix(f.head, []byte("\ufeff"))
	if bom {
		out.bom, out.end = true, len(f.head)-len(data)
	}
	blank := 0
	for number := 1; len(data) > 0; number++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		if bytes.HasPrefix(text, []byte("#!")) {
			out.shebang, out.line, out.lines = string(text), number, number
			out.end = len(f.head) - len(rest)
			return out
		}
		if len(bytes.TrimSpace(text)) > 0 || blank == firstLineLimit {
			break
		}
		blank++
		data = rest
	}
	return out
}

// maxShebang is what the kernel reads of the line, BINPRM_BUF_SIZE less its
// end.
const maxShebang = 255

func (f *file) checkFirstLine(l first) {
	switch {
	case l.shebang == "":
		f.errorf(1, "no #! line: write #!/bin/sh, or another interpreter, as the very first line")
	case l.bom:
		f.errorf(1, "a byte order mark stands before #!, so the kernel does not see it: save as UTF-8 without one")
	case l.line > 1:
		f.errorf(l.line, "the #! line must be the very first: take out the lines before it")
	case strings.HasSuffix(l.shebang, "\r"):
		f.errorf(1, "the #! line ends in CR LF, so the kernel looks for another interpreter: save with LF line ends")
	case len(l.shebang) > maxShebang:
		f.errorf(1, "the #! line is longer than %d bytes, which is all that the kernel reads", maxShebang)
	case strings.Trim(l.shebang[2:], " \t") == "":
		f.errorf(1, "#! names no interpreter: write #!/bin/sh or another")
	}
}

// styleFor is the delimiter that the interpreter takes for a comment.
func styleFor(shebang string) string {
	for _, word := range strings.Fields(strings.TrimPrefix(shebang, "#!")) {
		switch path.Base(word) {
		case "node", "nodejs", "deno", "bun", "tsx", "ts-node", "go":
			return "//---"
		}
	}
	return "#---"
}
