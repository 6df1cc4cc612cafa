package shtemplate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/hook"
)

const (
	code      = "touch CANARY"
	expanded  = "$(touch CANARY)"
	subscript = "a[$(touch CANARY)]"
	compound  = "($(touch CANARY))"
)

// traps are commands in which a value runs although its reference is quoted.
// The value is what shows it.
var traps = []struct{ command, value, want string }{
	// What command and builtin hide.
	{`command -p read {{x}} </dev/null`, subscript, "name of a variable"},
	{`command -- read {{x}} </dev/null`, subscript, "name of a variable"},
	{`builtin -- read {{x}} </dev/null`, subscript, "name of a variable"},
	{`command -p test -v {{x}}`, subscript, "test -v"},
	{`command -p printf -v {{x}} a`, subscript, "option of printf"},
	{`command let {{x}}`, subscript, "arithmetic"},
	{`builtin let {{x}}`, subscript, "arithmetic"},
	{`command -p {{x}} CANARY`, "touch", "name of the command"},
	{`command {{x}} CANARY`, "touch", "name of the command"},
	// Compound assignments in quotes.
	{`declare -a A={{x}}`, compound, "declare"},
	{`declare -a "A={{x}}"`, compound, "declare"},
	{`declare -A A={{x}}`, "([$(touch CANARY)]=a)", "declare"},
	{`typeset -a A={{x}}`, compound, "typeset"},
	{`command declare -a A={{x}}`, compound, "declare"},
	{`export -a A={{x}}`, compound, "option"},
	{`export -a "A={{x}}"`, compound, "option"},
	{`readonly -a A={{x}}`, compound, "option"},
	{`V=-a; export $V A={{x}}`, compound, "option"},
	{`f() { local -a "A={{x}}"; }; f`, compound, "local"},
	{`declare -a A; declare A="{{x}}"`, compound, "declare"},
	{`f() { local A; A[0]=1; local A={{x}}; }; f`, compound, "local"},
	// Attributes that are set elsewhere.
	{`declare -i A; A={{x}}`, subscript, "number"},
	{`V=-i; declare $V A; A={{x}}`, subscript, "number"},
	{`command declare -i A; A={{x}}`, subscript, "number"},
	{`f() { local -i A; A={{x}}; }; f`, subscript, "number"},
	{`declare -i A; for A in {{x}}; do :; done`, subscript, "number"},
	{`declare -i A; export A="{{x}}"`, subscript, "number"},
	{`declare -i A; printf -v A %s {{x}}`, subscript, "printf"},
	{`declare -n A; A={{x}}; echo $A`, subscript, "reference"},
	{"alias e='eval '\ne {{x}}", code, "alias"},
	// Operators that only the shell sees.
	{`V=-v; test $V "{{x}}"`, subscript, "test -v"},
	{`V=-v; [ $V "{{x}}" ]`, subscript, "test -v"},
	{`V='-v '; test $V{{x}}`, subscript, "test -v"},
	{`[ $(echo {{x}}) ]`, "-v a[$(touch${IFS}CANARY)]", "test -v"},
	{`test {-v,{{x}}}`, subscript, "braces"},
	{`V=-v; printf $V "{{x}}" a`, subscript, "option of printf"},
	{`printf \-v {{x}} a`, subscript, "option of printf"},
	{`printf {-v,{{x}}} a`, subscript, "braces"},
	{`printf {-v,} {{x}} a`, subscript, "option of printf"},
	// Variables that a shell evaluates.
	{`PS4={{x}}; set -x; :`, expanded, "PS4"},
	{`export PS4={{x}}; set -x; :`, expanded, "PS4"},
	{`for PS4 in {{x}}; do set -x; :; done`, expanded, "PS4"},
	{`BASH_ENV={{x}} bash -c :`, expanded, "BASH_ENV"},
	{`env BASH_ENV={{x}} bash -c :`, expanded, "BASH_ENV"},
	{`env "BASH_FUNC_f%%={{x}}" bash -c f`, "() { touch CANARY; }", "BASH_FUNC_f"},
	{`ENV={{x}} sh -i </dev/null`, expanded, "ENV"},
	{`export ENV="{{x}}"; sh -i </dev/null`, expanded, "ENV"},
	{`PS1={{x}} sh -i </dev/null`, expanded, "PS1"},
	{`RANDOM={{x}}`, subscript, "RANDOM"},
	{`OPTIND={{x}}`, subscript, "OPTIND"},
	{`HISTCMD={{x}}`, subscript, "HISTCMD"},
	{`compgen -C {{x}}`, code, "compgen"},
	{`compgen -W {{x}}`, expanded, "compgen"},
	{`command compgen -W {{x}}`, expanded, "compgen"},
	{`jobs -x touch {{x}}`, "CANARY", "jobs"},
	{`: & wait -n -p {{x}}`, subscript, "name of a variable"},
	{`echo a >&{{x}}`, subscript, "twice"},
	{`echo a >&x{{x}}`, subscript, "twice"},
	{`echo a >&"x{{x}}"`, subscript, "twice"},
}

// A trap is refused, and it is one: what a reference in quotes would do is
// tried in each shell.
func TestTraps(t *testing.T) {
	t.Parallel()
	found := shells(t)
	for _, test := range traps {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			if got, err := Rewrite(test.command, one(test.value)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Rewrite = %q, %v; want an error with %q", got.Command, err, test.want)
			}
			if spots := Check(test.command); len(spots) == 0 || spots[0].Severity != hook.Error {
				t.Errorf("Check = %v; want an error", spots)
			}
			checkIsTrap(t, found, test.command, test.value)
		})
	}
}

func checkIsTrap(t *testing.T, found []shell, command, value string) {
	t.Helper()
	naive := strings.ReplaceAll(command, `"{{x}}"`, `"${HOOK_T0}"`)
	if strings.Contains(naive, `{{x}}"`) {
		naive = strings.ReplaceAll(naive, `{{x}}`, `${HOOK_T0}`)
	}
	naive = strings.ReplaceAll(naive, `{{x}}`, `"${HOOK_T0}"`)
	bash, ran := false, 0
	for _, sh := range found {
		dir := t.TempDir()
		sh.output(t, dir, naive, "HOOK_T0="+value)
		if _, err := os.Lstat(filepath.Join(dir, "CANARY")); err == nil {
			ran++
		}
		bash = bash || sh.argv[0] == "bash"
	}
	if bash && ran == 0 {
		t.Errorf("%s is no trap in any shell", naive)
	}
}

// What a shell itself would evaluate is refused, whatever version it is: every
// variable that the shells at hand know of takes a value as it is, or none.
func TestShellVariables(t *testing.T) {
	t.Parallel()
	for _, sh := range shells(t) {
		list := "set"
		if sh.argv[0] == "bash" {
			list = "compgen -v"
		}
		for line := range strings.Lines(sh.output(t, t.TempDir(), list)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
			command := name + "={{x}}; : $" + name
			if !isName(name) || len(Check(command)) > 0 {
				continue
			}
			for _, value := range []string{expanded, subscript, compound} {
				got, err := Rewrite(command, one(value))
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				sh.output(t, dir, got.Command, got.Env...)
				if !checkNoCanary(t, dir) {
					t.Errorf("%s: %s runs %s", sh.name, name, value)
				}
			}
		}
	}
}
