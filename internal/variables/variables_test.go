package variables_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/variables"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{`null`, ""}, {`"a\nb"`, "a\nb"}, {`12345678901234567890`, "12345678901234567890"}, {`1.50`, "1.50"}, {`true`, "true"},
		{`["a b", 1, ["c", null]]`, "a b\n1\nc\n"}, {`[]`, ""}, {`{"a": "<&>"}`, `{"a":"<&>"}`},
	} {
		decoder := json.NewDecoder(strings.NewReader(tt.in))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if got := variables.Text(value); got != tt.want {
			t.Errorf("Text(%s) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	spilled := make(map[string]string)
	spill := func(v variables.Variable) (string, error) {
		spilled[v.Name] = v.Value
		return "/files/" + v.Name, nil
	}
	// A letter of two bytes lies across the limit.
	long := "x" + strings.Repeat("é", variables.MaxBytes/2)
	got, err := variables.Environ([]variables.Variable{{"A", ""}, {"B", "b\x00c"}, {"LONG", long}, {"FITS", long[:variables.MaxBytes-1]}}, spill)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"A=", "B=bc", "LONG_FILE=/files/LONG", "LONG=" + long[:variables.MaxBytes-1], "FITS=" + long[:variables.MaxBytes-1]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Environ mismatch (-want +got):\n%.2000s", diff)
	}
	if spilled["LONG"] != long || len(spilled) != 1 {
		t.Errorf("%d files, %d bytes", len(spilled), len(spilled["LONG"]))
	}
	full := errors.New("disk full")
	if _, err := variables.Environ([]variables.Variable{{"LONG", long}}, func(variables.Variable) (string, error) { return "", full }); !errors.Is(err, full) {
		t.Errorf("Environ = %v, want %v", err, full)
	}
}
