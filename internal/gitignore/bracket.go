package gitignore

import "strings"

// classes are those of POSIX, as ranges of ASCII.
var classes = map[string]string{
	"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09",
	"graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "xdigit": "09AFaf",
}

// bracket reads `[...]` and tells how many bytes it takes. It is not ok if it
// has no end or names a class that there is not.
func bracket(pattern string, path bool) (*set, int, bool) {
	var s set
	i, negated := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		i, negated = i+1, true
	}
	last, ranged := byte(0), false // what a range can begin with
	for first := true; ; first = false {
		if i == len(pattern) {
			return nil, 0, false
		}
		c := pattern[i]
		if c == ']' && !first {
			break
		}
		if c == '[' && strings.HasPrefix(pattern[i+1:], ":") {
			end := strings.IndexByte(pattern[i+2:], ']')
			if end < 0 {
				return nil, 0, false
			}
			name, closed := strings.CutSuffix(pattern[i+2:i+2+end], ":")
			if closed {
				ranges, known := classes[name]
				if !known {
					return nil, 0, false
				}
				for ; ranges != ""; ranges = ranges[2:] {
					s.add(ranges[0], ranges[1])
				}
				i, ranged = i+2+end+1, false
				continue
			}
			s.add('[', '[') // and what a range can begin with stays
			i++
			continue
		}
		if c == '-' && ranged && i+1 < len(pattern) && pattern[i+1] != ']' {
			i++
			to, used, ok := unescape(pattern[i:])
			if !ok {
				return nil, 0, false
			}
			if last <= to {
				s.add(last, to)
			}
			i, ranged = i+used, false
			continue
		}
		c, used, ok := unescape(pattern[i:])
		if !ok {
			return nil, 0, false
		}
		s.add(c, c)
		i, last, ranged = i+used, c, true
	}
	if negated {
		for n := range s {
			s[n] = ^s[n]
		}
	}
	if path {
		s['/'/8] &^= 1 << ('/' % 8)
	}
	return &s, i + 1, true
}

// unescape reads one byte, which a backslash may stand before.
func unescape(pattern string) (c byte, used int, ok bool) {
	if pattern[0] != '\\' {
		return pattern[0], 1, true
	}
	if len(pattern) == 1 {
		return 0, 0, false
	}
	return pattern[1], 2, true
}
