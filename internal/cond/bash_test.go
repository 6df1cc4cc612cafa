package cond_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// bash runs a script that prints one line for each of its cases.
func bash(t *testing.T, script string, env []string, args ...string) []string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash: ", err)
	}
	command := exec.Command(path, append([]string{"--norc", "-s", "--"}, args...)...)
	command.Stdin = strings.NewReader(script)
	command.Env = append(env, "LC_ALL=C")
	output, err := command.Output()
	if err != nil {
		t.Fatalf("bash: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
}

// word is how bash writes a truth.
func word(holds bool, err error) string {
	switch {
	case err != nil:
		return "error"
	case holds:
		return "1"
	}
	return "0"
}

// Numbers come out as in (( )), where a variable needs no dollar and cannot
// change the expression either. What differs by design is not in here: octal
// numbers, integers that overflow.
func TestNumbersLikeBash(t *testing.T) {
	t.Parallel()
	conditions := []string{
		"${X} == 10", "${X} % 10 == 0", "${X} % 3 == 1", "-${X} % 3 == -1", "${X} % -3 == 1", "-7 % 3 == -1", "7 % -3 == 1", "7 % 4 % 2 == 1",
		"${X} % ${Y} == 0 || ${X} < 0", "5 % 0 == 1", "!(${X} > ${Y})", "1 == 2 || 3 == 3 && 4 == 5", "(1 == 2 || 3 == 3) && 4 == 5",
		"!(1 == 2) && 3 != 3", "9223372036854775807 % 10 == 7", "- - -5 < 0", "1 == 1 || 1 % 0 == 0", "1 == 2 && 1 % 0 == 0", "true == (1 < 2)",
	}
	g := generator{Rand: rand.New(rand.NewPCG(3, 4)), numbers: []string{"${X}", "${Y}", "0", "1", "2", "3", "10", "-3", "9223372036854775807"}}
	for range 200 {
		conditions = append(conditions, g.truth(3))
	}
	var script strings.Builder
	toBash := strings.NewReplacer("${X}", "X", "${Y}", "Y", "\n", " ")
	for _, text := range conditions {
		fmt.Fprintf(&script, "( echo $(( %s )) ) 2>/dev/null || echo error\n", toBash.Replace(text))
	}
	for _, pair := range [][2]string{{"0", "1"}, {"7", "-3"}, {"10", "10"}, {"-9", "0"}} {
		lines := bash(t, script.String(), []string{"X=" + pair[0], "Y=" + pair[1], "true=1", "false=0"})
		if len(lines) != len(conditions) {
			t.Fatalf("bash answers %d of %d conditions", len(lines), len(conditions))
		}
		lookup := func(name string) string { return map[string]string{"X": pair[0], "Y": pair[1]}[name] }
		for i, want := range lines {
			if got := word(parse(t, conditions[i]).Eval(lookup)); got != want {
				t.Errorf("%s with %s is %s, and bash says %s", conditions[i], pair, got, want)
			}
		}
	}
}

// Two variables compare as in [[ ]] with both quoted, whatever they hold.
func TestTextsLikeBash(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, text := range values {
		if !strings.Contains(text, "\x00") { // which no argument can hold
			texts = append(texts, text)
		}
	}
	lines := bash(t, `for x; do for y; do [[ "$x" == "$y" ]] && echo 1 || echo 0; done; done`, nil, texts...)
	expr := parse(t, "${X} == ${Y}")
	for i, want := range lines {
		x, y := texts[i/len(texts)], texts[i%len(texts)]
		got := word(expr.Eval(func(name string) string { return map[string]string{"X": x, "Y": y}[name] }))
		if got != want {
			t.Errorf("%q == %q is %s, and bash says %s", x, y, got, want)
		}
	}
	if len(lines) != len(texts)*len(texts) {
		t.Errorf("bash answers %d of %d comparisons", len(lines), len(texts)*len(texts))
	}
}
