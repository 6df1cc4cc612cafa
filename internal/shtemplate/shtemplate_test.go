package shtemplate

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// contexts print the value of x in every place that Rewrite takes. In want, %
// is the value.
var contexts = []struct{ name, command, want string }{
	{"bare", `printf '%s' {{x}}`, "%"},
	{"bare, glued", `printf '%s' a{{x}}b`, "a%b"},
	{"bare, twice", `printf '%s' {{x}}{{x}}`, "%%"},
	{"bare, after digits", `printf '%s' 2{{x}}>&1`, "2%"},
	{"bare, after an option", `printf '%s' --title={{x}}`, "--title=%"},
	{"bare, after an escaped dollar", `printf '%s' \${{x}}`, "$%"},
	{"bare, after an escaped backslash", `printf '%s' \\{{x}}`, `\%`},
	{"bare, after a parameter", `printf '%s' $#{{x}}`, "0%"},
	{"bare, before a backslash", `printf '%s' {{x}}\a`, "%a"},
	{"bare, after a continued line", "printf '%s' \\\n{{x}}", "%"},
	{"bare, after ~", `printf '%s' ~{{x}}`, "~%"},
	{"bare, in a bracket pattern", `printf '%s' [{{x}}]`, "[%]"},
	{"bare, after a star", `printf '%s' */{{x}}`, "*/%"},
	{"double quotes", `printf '%s' "{{x}}"`, "%"},
	{"double quotes, glued", `printf '%s' "a{{x}}b"`, "a%b"},
	{"double quotes, after an escaped dollar", `printf '%s' "\${{x}}"`, "$%"},
	{"double quotes, after an escaped backslash", `printf '%s' "\\{{x}}"`, `\%`},
	{"double quotes, single quotes inside", `printf '%s' "'{{x}}'"`, "'%'"},
	{"single quotes", `printf '%s' '{{x}}'`, "%"},
	{"single quotes, glued", `printf '%s' 'a"{{x}}"b'`, `a"%"b`},
	{"single quotes, after a dollar", `printf '%s' '${{x}}'`, "$%"},
	{"single quotes, after a backslash", `printf '%s' '\{{x}}'`, `\%`},
	{"all quotes in a word", `printf '%s' a{{x}}"b{{x}}"'c{{x}}'d`, "a%b%c%d"},
	{"substitution", `printf '%s' "$(printf '%s.' {{x}})"`, "%."},
	{"substitution, in double quotes", `printf '%s' "$(printf '%s.' "{{x}}")"`, "%."},
	{"substitution, in single quotes", `printf '%s' "$(printf '%s.' '{{x}}')"`, "%."},
	{"substitution in substitution", `printf '%s' "$(printf '%s.' "$(printf '%s,' "a{{x}}")")"`, "a%,."},
	{"backquotes", "printf '%s' \"`printf '%s.' {{x}}`\"", "%."},
	{"backquotes, in double quotes", "printf '%s' \"`printf '%s.' \"a{{x}}\"`\"", "a%."},
	{"backquotes, in single quotes", "printf '%s' \"`printf '%s.' '{{x}}'`\"", "%."},
	{"backquotes, beside", "printf '%s' \"{{x}}`printf '%s.' \"{{x}}\" '{{x}}' {{x}}`{{x}}\"", "%%.%.%.%"},
	{"backquotes, assigned", "v=`printf '%s.' {{x}}`; printf '%s' \"$v\"", "%."},
	{"here-document", "cat <<EOF\na{{x}}b\nEOF\n", "a%b\n"},
	{"here-document, quotes in it", "cat <<EOF\n\"{{x}}\" '{{x}}'\nEOF\n", "\"%\" '%'\n"},
	{"here-document, escaped dollar", "cat <<EOF\n\\${{x}}\nEOF\n", "$%\n"},
	{"here-document, escaped backslash", "cat <<EOF\n\\\\{{x}}\nEOF\n", "\\%\n"},
	{"here-document, tabs", "cat <<-EOF\n\t{{x}}\n\tEOF\n", "%\n"},
	{"here-document, substitution in it", "cat <<EOF\n$(printf '%s.' '{{x}}')\nEOF\n", "%.\n"},
	{"here-document in substitution", "printf '%s' \"$(cat <<EOF\n{{x}}.\nEOF\n)\"", "%."},
	{"two here-documents", "cat <<A; cat <<B\n{{x}}\nA\n-{{x}}-\nB\nprintf '%s' {{x}}", "%\n-%-\n%"},
	{"after a here-document that ends in a backslash", "cat <<'EOF' >/dev/null\n\\\nEOF\nprintf '%s' {{x}}", "%"},
	{"after a quoted here-document", "cat <<'EOF' >/dev/null\n'\nEOF\nprintf '%s' {{x}}", "%"},
	{"assignment", `v={{x}}; printf '%s' "$v"`, "%"},
	{"assignment, quoted", `v='a'"{{x}}"; printf '%s' "$v"`, "a%"},
	{"assignment for one command", `v={{x}} sh -c 'printf "%s" "$v"'`, "%"},
	{"export", `export V={{x}}; sh -c 'printf "%s" "$V"'`, "%"},
	{"local, assigned after", `f() { local v; v={{x}}; printf '%s' "$v"; }; f`, "%"},
	{"export, quoted", `export "V={{x}}" W=a; sh -c 'printf "%s" "$V"'`, "%"},
	{"readonly, in a subshell", `(readonly V={{x}}; printf '%s' "$V")`, "%"},
	{"command, options", `command -p -- printf '%s' {{x}}`, "%"},
	{"printf --", `printf -- '%s' {{x}}`, "%"},
	{"printf, format that begins with a parameter", `G=; printf "$G%s" {{x}}`, "%"},
	{"test, after an operator", `[ "$USER" != "{{x}}," ] && [ ! -f "{{x}},," ] && printf '%s' {{x}}`, "%"},
	{"for", `for v in a {{x}}; do printf '%s.' "$v"; done`, "a.%."},
	{"case word", `case {{x}} in *) printf '%s' {{x}};; esac`, "%"},
	{"case pattern", `case "{{x}}" in {{x}}) printf '%s' {{x}};; *) printf other;; esac`, "%"},
	{"test", `if [ {{x}} = "{{x}}" ] && test -n "{{x}}."; then printf '%s' {{x}}; fi`, "%"},
	{"if, while, until, groups", `if true; then { ( printf '%s' {{x}} ); }; fi`, "%"},
	{"function body", `f() { printf '%s' "$1{{x}}"; }; f a`, "a%"},
	{"pipe", `printf '%s' {{x}} | cat`, "%"},
	{"positional parameters", `set -- {{x}}; printf '%s' "$1"`, "%"},
	{"argument of sh -c", `sh -c 'printf "%s" "$1"' sh {{x}}`, "%"},
	{"brace expansion of other shells", `printf '%s' {{{x}}}`, "{%}"},
}

var hostile = []string{
	"", "abc123", "two words", "  spaces  ", "$(touch CANARY)", "`touch CANARY`", "$(touch${IFS}CANARY)",
	"'; touch CANARY; '", `"; touch CANARY; "`, `'"; touch CANARY; "'`, "; touch CANARY #", "& touch CANARY &", "| touch CANARY",
	"\ntouch CANARY\n", "\nEOF\ntouch CANARY\n", "EOF", "a\nb\n\n", "\r\n", "\t",
	`\`, `\\`, `a\`, `\'`, `\"`, `\$(touch CANARY)`, "a`", "`", "'", `"`, "$", "${", "$((", "${x:-$(touch CANARY)}",
	"*", "?", "[a-z]*", "~", "~root", "-rf", "-n", "--", "-v", "a[$(touch CANARY)]", "($(touch CANARY))", "([$(touch CANARY)]=1)", "x=$(touch CANARY)", "-va[$(touch CANARY)]", "${IFS}", "${HOOK_T0}", "$HOOK_T1",
	"!!", "!x", "{a,b}", "{{x}}", "{{workspace}}", "%s%d%n", "=", "(", ")", "#", "() { :; }; touch CANARY",
	"ünïcödé 漢字 🎉", "\x80\x81\x82\x83\x84\x85\x86\x87\x88\xff", "\x01\x02\x7f\x1b[31m", "āĂ\u0081",
	"'; touch CANARY; '\"; touch CANARY; \"$(touch CANARY)`touch CANARY` & touch CANARY | touch CANARY",
	"\nEOF\nA\nB\ntouch CANARY\n\n", "`\"'; touch CANARY #\\",
	strings.Repeat("ab\n'\"$(touch CANARY)", 1000),
}

func TestValuesAreData(t *testing.T) {
	t.Parallel()
	for _, sh := range shells(t) {
		for _, c := range contexts {
			t.Run(sh.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				checkAreData(t, sh, c.command, c.want)
			})
		}
	}
}

// checkAreData runs a command once for each hostile value, all in one process.
func checkAreData(t *testing.T, sh shell, command, want string) {
	t.Helper()
	const mark = "-- mark --"
	var all strings.Builder
	for i := range hostile {
		all.WriteString(strings.ReplaceAll(command, "{{x}}", fmt.Sprintf("{{%d}}", i)))
		all.WriteString("\nprintf '%s' '" + mark + "'\n")
	}
	got, err := Rewrite(all.String(), func(name string) (Value, bool) {
		i, err := strconv.Atoi(name)
		return Value{Text: hostile[i]}, err == nil
	})
	if err != nil {
		t.Fatalf("Rewrite(%q): %v", command, err)
	}
	dir := t.TempDir()
	outputs := strings.Split(sh.output(t, dir, got.Command, got.Env...), mark)
	checkNoCanary(t, dir)
	if len(outputs) != len(hostile)+1 {
		t.Fatalf("%s: of %d values %d get through", command, len(hostile), len(outputs)-1)
	}
	for i, value := range hostile {
		if want := strings.ReplaceAll(want, "%", value); outputs[i] != want {
			t.Errorf("%s\nprints %q, want %q", command, short(outputs[i]), short(want))
		}
	}
}

func short(s string) string { return s[:min(len(s), 200)] }

func TestRewrite(t *testing.T) {
	t.Parallel()
	values := map[string]Value{
		"x":     {Text: "one"},
		"y":     {Text: "two {{x}}"},
		"empty": {IsList: true},
		"list":  {IsList: true, List: []string{"a b", "c"}},
	}
	lookup := func(name string) (Value, bool) { v, ok := values[name]; return v, ok }
	t0, t1 := "HOOK_T0=one", "HOOK_T0=a b c"
	elements := []string{"HOOK_T0=a b", "HOOK_T1=c"}
	for _, test := range []struct {
		name, command, want string
		env                 []string
	}{
		{"nothing to do", "echo 'unclosed", "echo 'unclosed", nil},
		{"1c.10 undefined stays literal", `echo {{nope}} "{{x}}"`, `echo {{nope}} "${HOOK_T0}"`, []string{t0}},
		{"1c.10 other braces stay literal", `echo {{}} {{ x }} {{x-y}} {{é}} {x} {{x}`, `echo {{}} {{ x }} {{x-y}} {{é}} {x} {{x}`, nil},
		{"rule B bare", "echo {{x}}", `echo "${HOOK_T0}"`, []string{t0}},
		{"rule B double", `echo "a {{x}}"`, `echo "a ${HOOK_T0}"`, []string{t0}},
		{"rule B single", `echo 'a {{x}}'`, `echo 'a '"${HOOK_T0}"''`, []string{t0}},
		{"rule B substitution", `echo "$(echo '{{x}}' {{x}})"`, `echo "$(echo ''"${HOOK_T0}"'' "${HOOK_T0}")"`, []string{t0}},
		{"rule B here-document", "cat <<E\n{{x}}\nE\n", "cat <<E\n${HOOK_T0}\nE\n", []string{t0}},
		{"rule B not rescanned", "echo {{y}}", `echo "${HOOK_T0}"`, []string{"HOOK_T0=two {{x}}"}},
		{"one variable a name", `echo {{x}} {{y}} {{x}}`, `echo "${HOOK_T0}" "${HOOK_T1}" "${HOOK_T0}"`, []string{t0, "HOOK_T1=two {{x}}"}},
		{"the author's variables are left alone", `echo $HOOK_T0 $HOOK_T2 {{x}} {{y}}`, `echo $HOOK_T0 $HOOK_T2 "${HOOK_T1}" "${HOOK_T3}"`, []string{"HOOK_T1=one", "HOOK_T3=two {{x}}"}},
		{"list as arguments", "git add {{list}}", `git add "${HOOK_T0}" "${HOOK_T1}"`, elements},
		{"list in for", "for f in {{list}}; do :; done", `for f in "${HOOK_T0}" "${HOOK_T1}"; do :; done`, elements},
		{"empty list is no argument", "echo a {{empty}}>f", "echo a >f", nil},
		{"1c.10 list in quotes", `echo "{{list}}"`, `echo "${HOOK_T0}"`, []string{t1}},
		{"list, glued", "echo -{{list}}", `echo -"${HOOK_T0}"`, []string{t1}},
		{"list assigned", "v={{list}}", `v="${HOOK_T0}"`, []string{t1}},
		{"list redirected to", "echo >{{list}}", `echo >"${HOOK_T0}"`, []string{t1}},
		{"list in case", "case {{list}} in {{list}}) ;; esac", `case "${HOOK_T0}" in "${HOOK_T0}") ;; esac`, []string{t1}},
		{"list in test", "[ {{list}} = a ]", `[ "${HOOK_T0}" = a ]`, []string{t1}},
		{"list twice, both ways", `echo {{list}} "{{list}}"`, `echo "${HOOK_T0}" "${HOOK_T1}" "${HOOK_T2}"`, append(elements[:2:2], "HOOK_T2=a b c")},
		{"a stand-in for another delimiter", "cat <<__x__\n{{x}}\n__x__\n", "cat <<__x__\n${HOOK_T0}\n__x__\n", []string{t0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Rewrite(test.command, lookup)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Rewritten{Command: test.want, Env: test.env}, got); diff != "" {
				t.Errorf("Rewrite(%q) mismatch (-want +got):\n%s", test.command, diff)
			}
		})
	}
}

func TestRewriteDoesNotParse(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"echo 'a {{x}}", "if {{x}}", "cat <({{x}})", "a=({{x}})", "cat <<< {{x}}", "function {{x}} { :; }", "exec {{{x}}}>f", "cat <<E$a\na\nE$a\necho {{x}}\n", "echo {{x}} )"} {
		got, err := Rewrite(command, one("v"))
		if err != nil || got.Command != command || len(got.Env) > 0 || len(got.Warnings) != 1 {
			t.Errorf("Rewrite(%q) = %+v, %v; want it as it is, with a warning", command, got, err)
		}
	}
}

func TestRewriteAsksOnce(t *testing.T) {
	t.Parallel()
	asked := make(map[string]int)
	_, err := Rewrite("echo {{x}} {{x}} {{y}} {{y}}", func(name string) (Value, bool) {
		asked[name]++
		return Value{}, name == "x"
	})
	if diff := cmp.Diff(map[string]int{"x": 1, "y": 1}, asked); diff != "" || err != nil {
		t.Errorf("lookups mismatch (-want +got):\n%s%v", diff, err)
	}
}

func TestRewriteRefusesValues(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("v", maxValue)
	for _, test := range []struct {
		name, command string
		value         Value
		want          string // in the error; none: it is taken
	}{
		{"NUL", "echo {{x}}", Value{Text: "a\x00b"}, "NUL"},
		{"NUL in a list", "echo {{x}}", Value{IsList: true, List: []string{"\x00"}}, "NUL"},
		{"96 KiB", "echo {{x}}", Value{Text: big}, ""},
		{"more", "echo {{x}}", Value{Text: big + "v"}, "stdin"},
		{"1 MiB", "echo '{{x}}'", Value{Text: strings.Repeat("v", 1<<20)}, "stdin"},
		{"joined list", `echo "{{x}}"`, Value{IsList: true, List: []string{big, "v"}}, "stdin"},
		{"list", "echo {{x}}", Value{IsList: true, List: []string{big, "v"}}, ""},
		{"more than 512 KiB in all", "echo {{x}}", Value{IsList: true, List: []string{big, big, big, big, big, big}}, "stdin"},
		{"a million elements", "echo {{x}}", Value{IsList: true, List: make([]string, 1e6)}, "stdin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Rewrite(test.command, func(string) (Value, bool) { return test.value, true })
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %d bytes, %v; want an error with %q", len(got.Command), err, test.want)
			}
		})
	}
}

func TestLargestValueRuns(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("v", maxValue)
	got, err := Rewrite("printf '%s' {{x}}", func(string) (Value, bool) {
		return Value{IsList: true, List: []string{big, big, big, big, big}}, true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sh := range shells(t) {
		if n := len(sh.output(t, t.TempDir(), got.Command, got.Env...)); n != 5*maxValue {
			t.Errorf("%s: %d bytes come through, want %d", sh.name, n, 5*maxValue)
		}
	}
}

func TestErrorNamesTheSpot(t *testing.T) {
	t.Parallel()
	_, err := Rewrite("echo\necho $(({{x}}))", one("1"))
	want := "rewrite command: 2:9: {{x}} is in arithmetic; read it from stdin as JSON instead"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if diff := cmp.Diff([]Spot{{2, 9, hook.Error, "{{x}} is in arithmetic; read it from stdin as JSON instead"}}, Check("echo\necho $(({{x}}))")); diff != "" {
		t.Errorf("Check mismatch (-want +got):\n%s", diff)
	}
}
