package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"discobot-hooks/hook"
	"discobot-hooks/internal/yamlfile"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want, problem string }{
		{"nothing to do", "a: [1, {b: c}]\n", "a: [1, {b: c}]\n", ""},
		{"an alias", "a: &x {b: c}\nd: *x\n", "a: {b: c}\nd: {b: c}\n", ""},
		{"own keys win over merged ones", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", "a: {b: 1, c: 2}\nd:\n  c: 3\n  b: 1\n", ""},
		{"the first of several merged ones wins", "a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc: {<<: [*x, *y]}\n", "a: {k: 1}\nb: {k: 2, l: 3}\nc: {k: 1, l: 3}\n", ""},
		{"merging what is no mapping", "a: &x [1]\nb: {<<: [*x]}\n", "", "x.yaml:2: << merges a list: name a mapping, such as <<: *name"},
		{"an alias of what it is in", "a: &x\n  b: *x\n", "", "x.yaml:1: nested more than 32 deep: write it flat"},
		{"a tag", "a: !!binary aGk=\n", "", "x.yaml:1: tags (!name) are not supported: write the value alone, in quotes if it starts with !"},
		{"a billion laughs", "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n", "", "x.yaml:2: more than 10000 values, with what aliases (*name) stand for: write less"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := yamlfile.New("x.yaml")
			root, ok := file.Parse([]byte(tt.in))
			if !ok {
				t.Fatal(file.Problems())
			}
			resolved, ok := file.Resolve(root)
			if got := problems(file); got != tt.problem || ok != (tt.problem == "") {
				t.Fatalf("problem %q, ok %v; want %q", got, ok, tt.problem)
			}
			if !ok {
				return
			}
			if diff := cmp.Diff(value(t, tt.want), decoded(t, resolved)); diff != "" {
				t.Errorf("Resolve mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func problems(f *yamlfile.File) string {
	var lines []string
	for _, p := range f.Problems() {
		if p.Severity == hook.Error {
			lines = append(lines, p.String())
		}
	}
	return strings.Join(lines, "\n")
}

func value(t *testing.T, text string) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return decoded(t, &n)
}

func decoded(t *testing.T, n *yaml.Node) (v any) {
	t.Helper()
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzResolve: what is resolved decodes as the library decodes the original.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"a: &x {b: c}\nd: {<<: *x, e: *x}\n", "- &a [1]\n- *a\n", "? {a: b}\n: c\n", "a: &a {a: *a}\n", "<<: [{a: 1}, {a: 2}]\nb: <<\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := yamlfile.New("x.yaml")
		root, ok := file.Parse(content)
		if !ok {
			return
		}
		resolved, ok := file.Resolve(root)
		if !ok {
			if !file.Broken() {
				t.Errorf("%q: not resolved, and no problem", content)
			}
			return
		}
		var want, got any
		if root.Decode(&want) != nil || !textKeys(root) {
			return // keys that are twice there, for one
		}
		if err := resolved.Decode(&got); err != nil {
			t.Fatalf("%q: %v", content, err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); diff != "" {
			t.Errorf("%q: mismatch (-library +ours):\n%s", content, diff)
		}
	})
}

// textKeys tells whether all keys are text: which type the library takes for
// other ones depends on how it comes by them.
func textKeys(n *yaml.Node) bool {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.ShortTag() != "!!str" && child.ShortTag() != "!!merge" || !textKeys(child) {
			return false
		}
	}
	return true
}
