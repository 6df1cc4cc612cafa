package frontmatter

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

func TestAssignIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 200)
	for _, test := range []struct {
		name        string
		files, want []string
	}{
		{"none", nil, []string{}},
		{"one extension", []string{"foo.bar.sh"}, []string{"foo-bar"}},
		{"only one extension", []string{"foo.sh.py"}, []string{"foo-sh"}},
		{"unknown extension", []string{"foo.lua"}, []string{"foo-lua"}},
		{"no extension", []string{"_Foo-1"}, []string{"_foo-1"}},
		{"odd characters", []string{"-a b!ü.c-.sh"}, []string{"ab-c"}},
		{"one name three times", []string{"lint.sh", "lint.py", "LINT.rb"}, []string{"lint-4873af72", "lint-6519095a", "lint"}},
		{"nothing left", []string{"文.sh"}, []string{"hook-ad96989c"}},
		{"long", []string{long}, []string{long[:111] + "-c2a908d9"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := assignIDs(test.files)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("assignIDs(%q) mismatch (-want +got):\n%s", test.files, diff)
			}
		})
	}
}

// TestAssignIDsPlainFirst has a file whose plain id is what another one gets
// as its suffix.
func TestAssignIDsPlainFirst(t *testing.T) {
	t.Parallel()
	suffixed := assignIDs([]string{"lint.py", "lint.sh"})[1]
	got := assignIDs([]string{"lint.py", "lint.sh", suffixed + ".sh"})
	if got[0] != "lint" || got[2] != suffixed || !strings.HasPrefix(got[1], suffixed) || got[1] == suffixed {
		t.Errorf("assignIDs = %q, want %q to be the third's", got, suffixed)
	}
}

// TestLoadBrokenNeighbour tells that a broken hook keeps its id from others,
// so that they do not change when it is mended.
func TestLoadBrokenNeighbour(t *testing.T) {
	t.Parallel()
	good := withHeader("type: session")
	mended := mustLoad(t, workspace(t, map[string]string{"lint.py": good, "lint.sh": good}))
	broken := mustLoad(t, workspace(t, map[string]string{"lint.py": withHeader("type: x"), "lint.sh": good, "lint": "no hook"}))
	if diff := cmp.Diff(map[string]bool{"lint": true}, broken.Broken); diff != "" {
		t.Errorf("Broken mismatch (-want +got):\n%s", diff)
	}
	id := func(s Set) string { h := s.For(hook.Session); return h[len(h)-1].ID }
	if id(mended) != id(broken) || id(mended) == "lint" {
		t.Errorf("lint.sh is %q, and %q beside a broken lint.py", id(mended), id(broken))
	}
}

var validID = regexp.MustCompile(`^[a-z0-9_-]{1,120}$`)

// checkIDs holds ids against what they promise.
func checkIDs(t *testing.T, files, ids []string) {
	t.Helper()
	seen := map[string]string{}
	for i, id := range ids {
		if !validID.MatchString(id) || strings.Trim(id, "-") != id {
			t.Errorf("%q has the id %q", files[i], id)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q have the id %q", other, files[i], id)
		}
		seen[id] = files[i]
	}
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	again := assignIDs(reversed)
	slices.Reverse(again)
	if diff := cmp.Diff(ids, again); diff != "" {
		t.Errorf("assignIDs depends on the order (-want +got):\n%s", diff)
	}
}

func TestAssignIDsAreUnique(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"a", "A", "b", ".", "-", "_", ".sh", ".py", "文", " ", strings.Repeat("x", 60)}
	for range 200 {
		set := map[string]bool{}
		for range 40 {
			name := "n"
			for range random.IntN(5) {
				name += parts[random.IntN(len(parts))]
			}
			set[name] = true
			ids := assignIDs([]string{"n", name})
			set[ids[1]] = true // what another could have as its suffix
		}
		var files []string
		for name := range set {
			files = append(files, name)
		}
		checkIDs(t, files, assignIDs(files))
	}
}

func FuzzIDs(f *testing.F) {
	f.Add("lint.sh\nlint.py\nLINT.rb")
	f.Add("文.sh\n字.sh\nhook")
	f.Add(strings.Repeat("a", 130) + "\n" + strings.Repeat("a", 131))
	f.Fuzz(func(t *testing.T, names string) {
		files := strings.Split(names, "\n")
		slices.Sort(files)
		files = slices.Compact(files)
		checkIDs(t, files, assignIDs(files))
	})
}

func BenchmarkAssignIDs(b *testing.B) {
	var files []string
	for i := range 100_000 {
		files = append(files, fmt.Sprintf("lint.%d!.sh", i%10)+strings.Repeat("!", i/10%200)+fmt.Sprint(i%7))
	}
	for b.Loop() {
		assignIDs(files)
	}
}
