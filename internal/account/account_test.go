package account

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec string
		want Account
	}{
		{"4294967294", Account{Name: "4294967294", UID: 4294967294, GID: 4294967294, Groups: []uint32{4294967294}, Shell: "/bin/sh"}},
		{"4242:4343", Account{Name: "4242", UID: 4242, GID: 4343, Groups: []uint32{4343}, Shell: "/bin/sh"}},
	}
	for _, test := range tests {
		got, err := Lookup(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("Lookup(%q) mismatch (-want +got):\n%s", test.spec, diff)
		}
	}
	root, err := Lookup("root")
	if err != nil || root.UID != 0 || root.Home == "" {
		t.Errorf("Lookup(root) = %+v, %v", root, err)
	}
	for _, spec := range []string{"no-such-user-here", "x:1", "1:x", "1:", ":1", "4294967296"} {
		if got, err := Lookup(spec); err == nil {
			t.Errorf("Lookup(%q) = %+v, want an error", spec, got)
		}
	}
}

// The home of the user must not be root's because root's HOME was inherited.
func TestHomeFor(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	env := func(entries map[string]string) func(string) string {
		return func(n string) string { return entries[n] }
	}
	me := uint32(os.Geteuid())
	tests := []struct {
		name string
		a    Account
		env  map[string]string
		want string
	}{
		{"said outright", Account{UID: me, Home: "/db"}, map[string]string{"DISCOBOT_USER_HOME": "/said", "HOME": own}, "/said"},
		{"the database", Account{UID: me, Home: "/db"}, map[string]string{"HOME": own}, "/db"},
		{"HOME that is the user's", Account{UID: me}, map[string]string{"HOME": own}, own},
		{"HOME that is somebody else's", Account{UID: me + 1}, map[string]string{"HOME": own}, "/"},
		{"nothing", Account{UID: me}, nil, "/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := HomeFor(test.a, env(test.env)); got != test.want {
				t.Errorf("HomeFor() = %q, want %q", got, test.want)
			}
		})
	}
}
