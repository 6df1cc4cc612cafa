package shtemplate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// What no reference is safe in, in one shell or another.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, command, want string }{
		{"rule B quoted here-document", "cat <<'EOF'\n{{x}}\nEOF\n", "quoted delimiter"},
		{"here-document, double quotes", "cat <<\"EOF\"\n{{x}}\nEOF\n", "quoted delimiter"},
		{"here-document, backslash", "cat <<\\EOF\n{{x}}\nEOF\n", "quoted delimiter"},
		{"here-document, tabs, quoted", "cat <<-'EOF'\n\t{{x}}\n\tEOF\n", "quoted delimiter"},
		{"delimiter", "cat <<{{x}}\n{{x}}\n{{x}}\n", "delimiter"},
		{"delimiter, glued", "cat <<E{{x}}\na\nE{{x}}\n", "delimiter"},
		{"delimiter that shells read differently", "cat <<'E F'\na\nE F\necho {{x}}\n", "not a plain word"},
		{"continued line that could hide a delimiter", "cat <<E\na\\\nE\necho {{x}}\nE\n", `ending in \`},
		{"rule B arithmetic", "echo $(({{x}} + 1))", "arithmetic"},
		{"arithmetic, in quotes", `echo "$((1 + {{x}}))"`, "arithmetic"},
		{"arithmetic, by substitution", "echo $(( $(echo {{x}}) ))", "arithmetic"},
		{"arithmetic of old bash", "echo $[{{x}}]", "arithmetic"},
		{"(( is arithmetic to bash", "((echo {{x}}))", "arithmetic"},
		{"let is arithmetic to bash", "let a={{x}}", "arithmetic"},
		{"rule B comment", "echo # {{x}}", "comment"},
		{"comment on a line of its own", "# {{x}}\necho", "comment"},
		{"comment at the end", "if true; then :; # {{x}}\nfi", "comment"},
		{"comment in substitution", "echo $(echo a # {{x}}\n)", "comment"},
		{"# in a word, which the parser takes for a comment", `echo "$(echo {{x}} 'a'#b` + "\n)\"", "looks like a comment"},
		{"# after a continued line", "echo {{x}}; \\\n#b\n", "looks like a comment"},
		{"rule B function name", "{{x}}() { :; }", "name"},
		{"rule B assignment name", "{{x}}=1", "name of a variable"},
		{"assignment name, glued", "a{{x}}=1 cmd", "name of a variable"},
		{"subscript", "a[{{x}}]=1", ""},
		{"loop variable", "for {{x}} in a; do :; done", "loop"},
		{"rule B inside ${}", "echo ${v:-{{x}}}", "${…}"},
		{"inside ${}, substitution", "echo ${v:-$(echo {{x}})}", "${…}"},
		{"pattern inside ${}", `echo "${v%{{x}}}"`, "${…}"},
		{"parameter's name", "echo ${{{x}}}", "${…}"},
		{"parameter's name, glued", "echo $v{{x}}", "${…}"},
		{"after a dollar", "echo ${{x}}", "${…}"},
		{"after a dollar, quoted", `echo "${{x}}"`, "${…}"},
		{"after a backslash", `echo \{{x}}`, `after a \`},
		{"after three backslashes", `echo \\\{{x}}`, `after a \`},
		{"after a backslash, quoted", `echo "\{{x}}"`, `after a \`},
		{"after a backslash, here-document", "cat <<E\n\\{{x}}\nE\n", `after a \`},
		{"dollar single quotes", "echo $'{{x}}'", "$'…'"},
		{"dollar double quotes", `echo $"{{x}}"`, `$"…"`},
		{"backquotes, backslash inside", "echo `echo \\\\ {{x}}`", "backquotes"},
		{"backquotes in backquotes", "echo `echo \\`echo {{x}}\\``", "backquotes"},
		{"backquotes, escaped quotes", "echo \"`echo \\\"{{x}}\\\"`\"", "backquotes"},
		{"backquotes that bash cannot tell from $(", "echo \"{{x}}`echo '$('`\"", "backquotes"},
		{"here-document with such backquotes", "cat <<E\n{{x}}`echo '$('`\nE\n", "backquotes"},
		{"word with backquotes that hold a here-document", "echo {{x}}`cat <<'E'\nit's\nE\n`", "backquotes"},
		{"command", "{{x}} arg", "command to run"},
		{"command, glued", "./{{x}}.sh", "command to run"},
		{"command, quoted", `"{{x}}"`, "command to run"},
		{"command, after an assignment", "A=1 {{x}}", "command to run"},
		{"command, by substitution", `"$(echo {{x}})" arg`, "command to run"},
		{"command, in substitution", `echo "$({{x}})"`, "command to run"},
		{"command, timed", "time {{x}}", "command to run"},
		{"[[ ]]", "[[ {{x}} -eq 1 ]]", "[[ ]]"},
		{"coprocess", "coproc {{x}}", ""},
		{"carriage return", "echo {{x}}\r\n", "carriage return"},
		{"NUL", "echo {{x}}\x00", "NUL"},
		{"too long", "echo {{x}} " + strings.Repeat("a", maxCommand), "longer"},
		{"too many", strings.Repeat("echo {{x}}\n", maxTemplates+1), "1000"},
		{"too many arguments", "echo {{x}}" + strings.Repeat(" a", maxArguments), "arguments"},
		{"bash evaluates a subscript: read", "read {{x}}", "name of a variable"},
		{"bash evaluates a subscript: unset", `command unset "{{x}}"`, "name of a variable"},
		{"bash evaluates a subscript: declare", "declare {{x}}=1", "declare"},
		{"bash evaluates a subscript: export", "export {{x}}", "name of a variable"},
		{"bash evaluates a subscript: local", "f() { local a{{x}}=1; }", "local"},
		{"bash evaluates a subscript: by substitution", "export $(echo {{x}})=1", "name of a variable"},
		{"bash evaluates a subscript: test -v", "test -v {{x}}", "test -v"},
		{"bash evaluates a subscript: two values", "[ {{x}} {{x}} ]", "test -v"},
		{"bash evaluates a subscript: printf -v", "printf -v {{x}} a", "option of printf"},
		{"bash evaluates a subscript: printf", "printf {{x}} a", "option of printf"},
		{"bash evaluates a subscript: printf -", `printf "-{{x}}" a`, "option of printf"},
		{"bash evaluates a number", "local -i n={{x}}", "local"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, err := Rewrite(test.command, one("v")); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Rewrite(%q) = %q, %v; want an error with %q", test.command, got.Command, err, test.want)
			}
			for _, spot := range Check(test.command) {
				if spot.Severity == hook.Error {
					return
				}
			}
			t.Errorf("Check(%q) has no error", test.command)
		})
	}
}

// What no quoting saves is said, in Check and in Rewrite.
func TestParsedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, want string }{
		{"sh -c 'echo {{x}}'", "sh"},
		{"/bin/bash -ec 'echo {{x}}'", "bash"},
		{"zsh -c -e {{x}}", "zsh"},
		{"bash -o pipefail -c {{x}}", "bash"},
		{`su -c "ls {{x}}" user`, "su"},
		{"eval echo {{x}}", "eval"},
		{`eval "$(echo {{x}})"`, "eval"},
		{"command eval {{x}}", "eval"},
		{"ssh host echo {{x}}", "ssh"},
		{"ssh -p 22 host 'echo {{x}}'", "ssh"},
		{"find . -exec sh -c 'echo {{x}}' ;", "sh"},
		{"xargs -I% sh -c 'echo % {{x}}'", "sh"},
		{"sudo -u a python3.12 -c 'print({{x}})'", "python3.12"},
		{"python -c 'print({{x}})'", "python"},
		{"node -e 'f({{x}})'", "node"},
		{"node --eval='f({{x}})'", "node"},
		{"perl -ne 'print {{x}}'", "perl"},
		{"perl -e'print {{x}}'", "perl"},
		{"ruby -e 'p {{x}}'", "ruby"},
		{"php -r 'echo {{x}};'", "php"},
		{"sed 's/a/{{x}}/' f", "sed"},
		{"sed -n -e 's/a/{{x}}/p' f", "sed"},
		{"awk '{print \"{{x}}\"}' f", "awk"},
		{"trap 'echo {{x}}' EXIT", "trap"},
		{". {{x}}", "."},
		{"exec {{x}}", "exec"},
		{"printf {{x}}", "format"},
		{"printf 'a {{x}} %s' b", "format"},
		{"sh <<EOF\necho {{x}}\nEOF\n", "sh"},
		{"ssh host <<EOF\necho {{x}}\nEOF\n", "ssh"},
		{"sudo bash -s a <<EOF\necho {{x}}\nEOF\n", "bash"},
		{"echo {{x}} | sh", "sh"},
		{"python3 - <<EOF\n{{x}}\nEOF\n", "python3"},
		{"command -p eval {{x}}", "eval"},
		{`command -- eval "{{x}}"`, "eval"},
		{`command -p sh -c "{{x}}"`, "sh"},
		{`builtin -- eval "{{x}}"`, "eval"},
		{"ev\\\nal {{x}}", "eval"},
		{`{eval,:} {{x}}`, "only the shell knows"},
		{`$V {{x}}`, "only the shell knows"},
		{`$SHELL -c "{{x}}"`, "only the shell knows"},
		{`"$HOME"/bin/sh -c "{{x}}"`, "sh"},
		{`env $HOME/bin/bash -c "{{x}}"`, "bash"},
		{`bash --rcfile a -c "{{x}}"`, "bash"},
		{`node --require a -e "{{x}}"`, "node"},
		{`setpriv sh -c "{{x}}"`, "sh"},
		{`unknown --option sh -c "{{x}}"`, "sh"},
		{`flock f sh -c "{{x}}"`, "flock"},
		{`flock f -c "{{x}}"`, "flock"},
		{`script -q -c "{{x}}"`, "script"},
		{`su user -c "{{x}}"`, "su"},
		{`strace sh -c "{{x}}"`, "sh"},
		{`fish -c "{{x}}"`, "fish"},
		{`csh -c "{{x}}"`, "csh"},
		{`env -S "a {{x}}"`, "env"},
		{`env {{x}}`, "what env runs"},
		{"make TITLE={{x}}", "make"},
		{"PATH={{x}}:$PATH", "PATH"},
		{"GIT_SSH_COMMAND={{x}} git fetch", "GIT_SSH_COMMAND"},
		{"export EDITOR={{x}}", "EDITOR"},
		{"env PAGER={{x}} git log", "PAGER"},
		{"time eval {{x}}", "eval"},
		{`echo "{{x}}" | (sh)`, "sh"},
		{`echo "{{x}}" | { sh; }`, "sh"},
		{`echo "{{x}}" | command -p sh`, "sh"},
		{`echo "{{x}}" | $SHELL`, "only the shell knows"},
		{`echo "{{x}}" | tee f | sh`, "sh"},
		{`echo "{{x}}" | while :; do a && sh; done`, "sh"},
		{`echo "{{x}}" | xargs sh -c`, "sh"},
		{`echo "{{x}}" | xargs -I% sh -c 'echo %'`, "sh"},
		{"if :; then sh; fi <<E\n{{x}}\nE\n", "sh"},
		{"sh /dev/stdin <<E\n{{x}}\nE\n", "sh"},
		{". /dev/stdin <<E\n{{x}}\nE\n", "."},
		{"make -f - <<E\n{{x}}\nE\n", "make"},
		{"at now <<E\n{{x}}\nE\n", "at"},
		{`x="{{x}}"; eval "$x"`, "put into x"},
		{`x={{x}}; echo $((x + 1))`, "put into x"},
		{`x={{x}}; echo $(($x + 1))`, "put into x"},
		{`export x={{x}}; sh -c "echo $x"`, "put into x"},
		{`for x in {{x}}; do eval "echo $x"; done`, "put into x"},
		{`x={{x}}; $x`, "put into x"},
		{`x={{x}}; [[ $x -eq 1 ]]`, "put into x"},
		{`x={{x}}; read "$x"`, "put into x"},
		{`x={{x}}; [ $x = a ]`, "put into x"},
		{`x={{x}}; echo a >&"$x"`, "put into x"},
	} {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			spots := Check(test.command)
			if len(spots) != 1 || spots[0].Severity != hook.Warning || !strings.Contains(spots[0].Message, test.want) {
				t.Errorf("Check = %v; want a warning with %q", spots, test.want)
			}
			got, err := Rewrite(test.command, one("v"))
			if err != nil || len(got.Warnings) != 1 {
				t.Errorf("Rewrite = %+v, %v; want one warning", got, err)
			}
		})
	}
}

func TestNothingToSay(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", "echo", "echo 'unclosed", "# no template", "echo {{}} {{ x }}",
		"git commit -m {{x}}", `sh -c 'echo "$1"' sh {{x}}`, "sh script.sh {{x}}", "awk -v t={{x}} '{print t}' f",
		"sed -e s/a/b/ {{x}}", "sed s/a/b/ {{x}}", "python3 script.py {{x}}", "perl -ne print {{x}}", "ssh {{x}}",
		"sh script.sh <<EOF\n{{x}}\nEOF\n", "echo {{x}} | sed s/a/b/", "sh -c 'cat' <<EOF\n{{x}}\nEOF\n",
		"echo {{x}} >{{x}} 2>&1", "exec cmd {{x}}", "printf '%s\\n' {{x}}", "[ a = {{x}} ]", "export A={{x}} B", "time echo {{x}}",
		"export TITLE={{x}}", `export "TITLE={{x}}"`, `echo "{{x}}" >> log`, `test "{{x}}" = y`, `curl -d "{{x}}" https://example.com`,
		`git commit -m "{{x}}"`, `if [ -n "{{x}}" ]; then echo; fi`, `curl -d '{"a":"{{x}}","b":1}' u`, `[ "$a" = {{x}} ]`, `[ $? -eq 0 ] && echo {{x}}`,
		`export $(cat .env); echo {{x}}`, `"$HOME/bin/notify" {{x}}`, `./notify.sh --title={{x}} -c {{x}}`, `printf "$GREEN%s\n" {{x}}`, "printf -- '%s' {{x}}",
		`echo "ENV={{x}}" >> .env`, `printf 'PATH=%s' {{x}}`, "command -v {{x}}", "f() { local a; a={{x}}; echo \"$a\"; }", "declare -a a; b={{x}}",
		`x={{x}}; [ "$x" = a ] || echo "$x" >"$x"`, `x={{x}}; git commit -m "$x"`, "for f in {{x}}; do cat \"$f\"; done",
		`x={{x}}; [[ $x == a ]]`,
		`x={{x}}; sh -c 'echo "$1"' sh "$a"`, `x={{x}}; echo "$x" $((y + 1))`, `export x={{x}}; sh -c 'echo "$x"'`, "env A={{x}} cmd", "docker run -e A={{x}} image",
		`echo {{x}} | grep sh`, `echo {{x}} | xargs sh -c 'echo "$1"' sh`, `echo {{x}} | { sh <f; cat; }`, `echo {{x}} | sh f -`, "git grep sh {{x}}", "sudo -u a ls {{x}}", "case {{x}} in {a) ;; esac",
		"echo $(( 1 + 1 )) {{x}}", "cat {{x}} | while read -r l; do echo \"$l\"; done",
	} {
		if spots := Check(command); len(spots) > 0 {
			t.Errorf("Check(%q) = %v", command, spots)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range Check("eval {{a}}\n{{b}}\n  echo $(({{c}})) {{d}}") {
		got = append(got, fmt.Sprintf("%d:%d %s", s.Line, s.Column, s.Severity))
	}
	if diff := cmp.Diff([]string{"1:6 warning", "2:1 error", "3:11 error"}, got); diff != "" {
		t.Errorf("Check mismatch (-want +got):\n%s", diff)
	}
}
