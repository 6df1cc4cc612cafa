package expand_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/expand"
)

// values know A, B and the empty E, and hold what could be taken for more.
func values(name string) (string, bool) {
	value, ok := map[string]string{"A": "1", "B": "${A}", "E": "", "_x9": "underscore", "D": "$", "O": "${"}[name]
	return value, ok
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		missing          []string
	}{
		{"nothing", "", "", nil},
		{"no variable", "plain {A} text", "plain {A} text", nil},
		{"alone", "${A}", "1", nil},
		{"twice, side by side", "<${A}${A}>", "<11>", nil},
		{"empty is not missing", "<${E}>", "<>", nil},
		{"underscore and digits", "${_x9}", "underscore", nil},
		{"missing once, in order", "${Z}-${Y}-${Z}", "--", []string{"Z", "Y"}},
		{"names are case-sensitive", "${a}", "", []string{"a"}},
		{"a value is not scanned again", "${B}", "${A}", nil},
		{"a value and text make no variable", "${D}{A} ${O}A}", "${A} ${A}", nil},
		{"no braces", "$A", "$A", nil},
		{"no name", "${}", "${}", nil},
		{"a default", "${A:-y}", "${A:-y}", nil},
		{"blanks", "${ A }", "${ A }", nil},
		{"a digit first", "${1A}", "${1A}", nil},
		{"a hyphen", "${A-B}", "${A-B}", nil},
		{"not ASCII", "${É}", "${É}", nil},
		{"a line break", "${A\n}", "${A\n}", nil},
		{"not closed", "${A", "${A", nil},
		{"a dollar at the end", "5$", "5$", nil},
		{"a brace at the end", "${", "${", nil},
		{"no escape by a dollar", "$${A}", "$1", nil},
		{"no escape by a backslash", `\${A}`, `\1`, nil},
		{"inside what is none", "${X:-${A}}", "${X:-1}", nil},
		{"behind what is none", "${${A}", "${1", nil},
		{"bytes that are no UTF-8", "\xff${A}\xfe", "\xff1\xfe", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, missing := expand.Expand(test.text, values)
			if got != test.want {
				t.Errorf("Expand(%q) = %q, want %q", test.text, got, test.want)
			}
			if diff := cmp.Diff(test.missing, missing); diff != "" {
				t.Errorf("Expand(%q): missing (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	got := expand.Names("${B}/${A}?${B}&$C${D:-x}")
	if diff := cmp.Diff([]string{"B", "A"}, got); diff != "" {
		t.Errorf("Names mismatch (-want +got):\n%s", diff)
	}
}

// Whether a variable stands before a URL's path is told by its offset.
func TestAll(t *testing.T) {
	t.Parallel()
	text := "é${HOST}/x/${A}"
	var got []expand.Variable
	for v := range expand.All(text) {
		got = append(got, v)
	}
	want := []expand.Variable{{Name: "HOST", Start: 2, End: 9}, {Name: "A", Start: 12, End: 16}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("All mismatch (-want +got):\n%s", diff)
	}
	for v := range expand.All(text) {
		if v.Name != "HOST" {
			t.Errorf("All goes on after break, to %s", v.Name)
		}
		break
	}
}

func TestOdd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"variables only", "${A}/${B}", nil},
		{"prices", "$5, 5$, $ and $-1, $(date), $$", nil},
		{"no braces", "$A-$B.$A", []string{"$A", "$B"}},
		{"a default", "x${A:-a b}y", []string{"${A:-a b}"}},
		{"a variable in a default", "${A:-${B}}", []string{"${A:-${B}"}},
		{"no name", "${}", []string{"${}"}},
		{"blanks", "${ A }", []string{"${ A }"}},
		{"not closed", "${A and more", []string{"${A"}},
		{"not closed on its line", "${A\n}", []string{"${A"}},
		{"at the end", "${", []string{"${"}},
		{"looks escaped", `$${A} \${B}`, []string{"$${A}", `\${B}`}},
		{"no brace near", "${" + long + "}", []string{"${" + long[:62]}},
		{"cut between characters", "${x" + long, []string{"${x" + long[:60]}},
		{"behind one another", "$A${B}$C${D}", []string{"$A", "$C"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, expand.Odd(test.text)); diff != "" {
				t.Errorf("Odd(%q) mismatch (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

// Where a text has only variables, a shell's own expansion says the same.
func TestExpandLikeAShell(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell: ", err)
	}
	for _, text := range []string{"", "${A}", "a${A}b${_x9}", "${B}${B}", "${missing}.${A}", "{${A}}", "${A}}", "5$", "${E}|${D}{A}"} {
		command := exec.Command(sh, "-c", `printf %s "`+text+`"`)
		command.Env = []string{"A=1", "B=${A}", "E=", "_x9=underscore", "D=$"}
		want, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, _ := expand.Expand(text, values); got != string(want) {
			t.Errorf("Expand(%q) = %q, and sh says %q", text, got, want)
		}
	}
}
