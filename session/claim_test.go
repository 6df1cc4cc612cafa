package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestClaimIsAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "made", "at-need", ".session-start")
	first, err := claim(t.Context(), path)
	if err != nil || first == nil {
		t.Fatalf("claim() = %v, %v", first, err)
	}
	if first.isAgain("a") {
		t.Error("what was never done is done again")
	}
	if second, err := claim(t.Context(), path); err != nil || second != nil {
		t.Errorf("claim(claimed) = %v, %v; want nothing", second, err)
	}
	if err := first.note("a"); err != nil {
		t.Fatal(err)
	}
	first.release()
	second, err := claim(t.Context(), path)
	if err != nil || second == nil {
		t.Fatalf("claim(released) = %v, %v", second, err)
	}
	defer second.release()
	if !second.isAgain("a") || second.isAgain("b") {
		t.Error("isAgain does not know what was done")
	}
	at := func(d time.Duration) string { return fmt.Sprintf("a %d\n", time.Now().Add(d).UnixMilli()) }
	for content, want := range map[string]bool{
		at(-5 * time.Second): true, at(-time.Minute): false,
		at(time.Hour): false, // a clock that was set back
		"a":           false, "a x\n": false, "": false, "\x00\x00": false,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := second.isAgain("a"); got != want {
			t.Errorf("isAgain with %q = %v, want %v", content, got, want)
		}
	}
}
