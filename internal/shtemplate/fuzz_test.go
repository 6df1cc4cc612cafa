package shtemplate

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/hook"
)

// FuzzRewrite makes a command from bytes and runs it in a real shell: with a
// harmless value the rewritten command prints what plain substitution prints,
// and no value runs.
func FuzzRewrite(f *testing.F) {
	found := shells(f)
	path := toolPath(f)
	seed := strings.Repeat("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c", 3)
	for i := range seed[:13] {
		f.Add([]byte(seed[i:]), hostile[i])
		f.Add([]byte(seed[i:]+seed[:i]), hostile[20+i])
		f.Add([]byte{0, byte(i), 2, byte(i), 1, byte(i), 3, 0}, hostile[len(hostile)-1-i])
	}
	f.Fuzz(func(t *testing.T, bytes []byte, value string) {
		if len(bytes) == 0 || len(bytes) > 200 || len(value) > 4096 || strings.Contains(value, "\x00") {
			return
		}
		sh := found[int(bytes[0])%len(found)]
		command, want := generate(bytes[1:])
		harmless, err := Rewrite(command, one("abc123"))
		if err != nil || len(harmless.Warnings) > 0 {
			// The one place where the grammar makes what is refused, for
			// shells differ.
			if strings.Contains(command, "`") {
				return
			}
			t.Fatalf("Rewrite(%q): %v %v", command, harmless.Warnings, err)
		}
		if harmless.Command != want && strings.Contains(command, "{{x}}") {
			t.Fatalf("%s\nbecame %s\nwant %s", command, harmless.Command, want)
		}
		dir := t.TempDir()
		env := []string{"PATH=" + path}
		plain := sh.output(t, dir, strings.ReplaceAll(command, "{{x}}", "abc123"), env...)
		if got := sh.output(t, dir, harmless.Command, append(env, harmless.Env...)...); got != plain {
			t.Fatalf("%s: %s\nbecame %s\nand prints %q, want %q", sh.name, command, harmless.Command, got, plain)
		}
		for _, text := range []string{value, "$(touch CANARY)" + value, value + "\n`touch CANARY`\n'\"; touch CANARY; " + value} {
			hostile, err := Rewrite(command, one(text))
			if err != nil || hostile.Command != harmless.Command {
				t.Fatalf("the value %q changes the command to %q, %v", text, hostile.Command, err)
			}
			sh.output(t, dir, hostile.Command, append(env, hostile.Env...)...)
			if !checkNoCanary(t, dir) {
				t.Fatalf("%s: %s\nbecame %s with %q", sh.name, command, hostile.Command, text)
			}
		}
	})
}

// The same without a fuzzer: generated commands become what the grammar knows
// they must, and some of them run.
func TestGenerated(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		bytes := make([]byte, random.IntN(120))
		for j := range bytes {
			bytes[j] = byte(random.Uint32())
		}
		command, want := generate(bytes)
		got, err := Rewrite(command, one("abc123"))
		if err != nil || !strings.Contains(command, "{{x}}") {
			continue
		}
		if got.Command != want {
			t.Fatalf("%s\nbecame %s\nwant %s", command, got.Command, want)
		}
		if i%50 > 0 {
			continue
		}
		for _, sh := range shells(t) {
			plain := sh.output(t, t.TempDir(), strings.ReplaceAll(command, "{{x}}", "abc123"))
			if out := sh.output(t, t.TempDir(), got.Command, got.Env...); out != plain {
				t.Fatalf("%s: %s\nbecame %s\nand prints %q, want %q", sh.name, command, got.Command, out, plain)
			}
		}
	}
}

// toolPath is a PATH with the two tools that commands and values may find.
func toolPath(f *testing.F) string {
	f.Helper()
	dir := f.TempDir()
	for _, tool := range []string{"cat", "touch"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, tool))
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	return dir
}

// FuzzRewriteRaw runs nothing: its commands are anything.
func FuzzRewriteRaw(f *testing.F) {
	for _, c := range contexts {
		f.Add(c.command, "value")
	}
	for _, command := range []string{
		"cat <<'EOF'\n{{x}}\nEOF\n", "cat <<{{x}}\n{{x}}\n", "echo $(({{x}}))", "# {{x}}", "{{x}}() { :; }", "{{x}}=1", "a[{{x}}]=1",
		"for {{x}} in a; do :; done", "echo ${v:-{{x}}}", "echo $'{{x}}'", "echo `echo \\`echo {{x}}\\``", "[[ {{x}} ]]", "((echo {{x}}))",
		"sh -c -e {{x}}", "awk -v", "sed -e{{x}}", "echo {{x}} | sudo bash -s", "f() { local -i n={{x}}; }", "printf -v {{x}}", "echo @({{x}})", "echo $HOOK_T0 {{x}}",
	} {
		f.Add(command, "value")
	}
	for _, trap := range traps {
		f.Add(trap.command, trap.value)
	}
	f.Fuzz(func(t *testing.T, command, value string) {
		const marker = "ThisIsTheValue"
		got, err := Rewrite(command, func(name string) (Value, bool) {
			return Value{Text: value + marker, List: []string{value, marker}, IsList: len(name)%2 == 0}, len(name) < 5
		})
		if err == nil && !strings.Contains(command, marker) && strings.Contains(got.Command, marker) {
			t.Errorf("Rewrite(%q) puts the value into the command: %q", command, got.Command)
		}
		all, err := Rewrite(command, every(value))
		for _, spot := range Check(command) {
			if spot.Line < 1 || spot.Column < 1 {
				t.Errorf("Check(%q) points to %d:%d", command, spot.Line, spot.Column)
			}
			if spot.Severity == hook.Error && err == nil {
				t.Errorf("Rewrite(%q) = %q, but Check says %v", command, all.Command, spot)
			}
		}
	})
}

func every(text string) func(string) (Value, bool) {
	return func(string) (Value, bool) { return Value{Text: text}, true }
}
