package advice

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
)

const (
	fileLimit = 256 << 20
	lineLimit = 4 << 20

	// namedLines is how many skipped lines are named: a file that is no JSON
	// at all would be all of them.
	namedLines = 20
)

// issues are what a file says about advice: the last line of each id that is
// advice, or another issue with hook fields.
type issues struct {
	last     map[string]*Advice
	problems []hook.Problem // lines that were skipped
	broken   int            // how many of those should have been issues, the first ones
}

// read reads a whole file of issues. An error means that the rest is not
// known, so that nothing is: a later line may close what an earlier one opens.
func read(from io.Reader, file string) (issues, error) {
	in := issues{last: map[string]*Advice{}}
	skipped := skipped{file: file}
	err := eachLine(from, func(number int, line []byte, whole bool) {
		switch {
		case !whole:
			skipped.line(number, fmt.Sprintf("it is longer than %d MiB", lineLimit>>20))
		case len(line) > 0 && mayConcern(line, in.last):
			skipped.add(number, in.take(number, line))
		}
	})
	in.broken = len(skipped.problems)
	in.problems = skipped.summary()
	return in, err
}

// take lets a line take the place of those before it.
func (in *issues) take(number int, line []byte) error {
	a, err := decode(line)
	if err != nil {
		return err
	}
	delete(in.last, a.ID)
	if a.IssueType == issueType || a.hooked() {
		a.Line = number
		in.last[a.ID] = a
	}
	return nil
}

// eachLine calls yield with each line, without blanks around it, and its
// number. A line longer than lineLimit comes as not whole, and empty. The
// bytes are only good until yield returns.
func eachLine(from io.Reader, yield func(number int, line []byte, whole bool)) error {
	limited := &io.LimitedReader{R: from, N: fileLimit + 1}
	in := bufio.NewReaderSize(limited, 64<<10)
	for number := 1; ; number++ {
		line, whole, err := readLine(in)
		if err != nil && err != io.EOF {
			return err
		}
		if limited.N == 0 {
			return fmt.Errorf("%w: more than %d MiB", regular.ErrTooLarge, fileLimit>>20)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		yield(number, bytes.TrimSpace(line), whole)
		if err == io.EOF {
			return nil
		}
	}
}

func readLine(in *bufio.Reader) (line []byte, whole bool, err error) {
	line, err = in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, true, err
	}
	long := bytes.Clone(line)
	whole = true
	for err == bufio.ErrBufferFull {
		line, err = in.ReadSlice('\n')
		whole = whole && len(long)+len(line) <= lineLimit
		if whole {
			long = append(long, line...)
		}
	}
	if !whole {
		return nil, false, err
	}
	return long, true, err
}

// skipped words what became of lines that are not used.
type skipped struct {
	file     string
	problems []hook.Problem
	more     int // lines that are not named
	firstOf  int // line of the first record that is no issue
	records  int
}

func (s *skipped) add(number int, err error) {
	switch {
	case err == nil:
	case errors.Is(err, errNoIssue):
		// They are other tools' own, and there can be many.
		if s.records++; s.records == 1 {
			s.firstOf = number
		}
	case errors.Is(err, errNoID):
		s.line(number, `it has no "id" that is a string`)
	default:
		s.line(number, "it is no JSON object: "+plaintext.Line(err.Error()))
	}
}

func (s *skipped) line(number int, why string) {
	if len(s.problems) == namedLines {
		s.more++
		return
	}
	s.problems = append(s.problems, hook.Problem{
		File: s.file, Line: number, Severity: hook.Warning,
		Message: "line skipped: " + why + ": write one issue a line, or take the line out",
	})
}

func (s *skipped) summary() []hook.Problem {
	if s.more > 0 {
		s.problems = append(s.problems, hook.Problem{
			File: s.file, Severity: hook.Warning,
			Message: fmt.Sprintf("%d more lines skipped: write one issue a line", s.more),
		})
	}
	if s.records > 0 {
		s.problems = append(s.problems, hook.Problem{
			File: s.file, Line: s.firstOf, Severity: hook.Warning,
			Message: fmt.Sprintf(`%d skipped: "_type" says that this is no issue; an advice has "_type": "issue", or none`, s.records),
		})
	}
	return s.problems
}
