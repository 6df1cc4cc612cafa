package handover_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discobot-hooks/internal/handover"
)

type name string

type Inner struct {
	Path string
	Env  []string
}

type outer struct {
	Inner
	Name    name
	Pointer *Inner
	Map     map[string]Inner
	Bytes   []byte
	Limit   time.Duration
	At      time.Time
	OK      bool
	own     string
}

const odd = "a/\xff\xfe \x00\n\"<é\U0001F600\u2028\ufffd"

func example() outer {
	return outer{
		Inner:   Inner{Path: odd, Env: []string{"A=" + odd, ""}},
		Name:    odd,
		Pointer: &Inner{Path: odd, Env: []string{}},
		Map:     map[string]Inner{odd: {Path: odd}, "": {}},
		Bytes:   []byte(odd),
		Limit:   1<<63 - 1,
		At:      time.Date(2026, 1, 2, 3, 4, 5, 678, time.FixedZone("", 3600)),
		OK:      true,
		own:     "stays",
	}
}

var asFarAsItTravels = cmpopts.IgnoreUnexported(outer{})

func TestEveryByteIsKept(t *testing.T) {
	t.Parallel()
	for _, want := range []outer{{}, example()} {
		data, err := handover.Marshal(&want)
		if err != nil {
			t.Fatal(err)
		}
		var got outer
		if err := handover.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, asFarAsItTravels); diff != "" {
			t.Errorf("Unmarshal(Marshal(x)) mismatch (-want +got):\n%s", diff)
		}
	}
}

// What is handed over is still in use here.
func TestValueIsLeftAlone(t *testing.T) {
	t.Parallel()
	value := example()
	if _, err := handover.Marshal(&value); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example(), value, cmp.AllowUnexported(outer{})); diff != "" {
		t.Errorf("the value after Marshal (-want +got):\n%s", diff)
	}
}

func TestSeveralValues(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	out := handover.NewEncoder(&pipe)
	want := []Inner{{Path: odd}, {}, {Env: []string{odd}}}
	for _, v := range want {
		if err := out.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	in := handover.NewDecoder(&pipe)
	var got []Inner
	for {
		var v Inner
		err := in.Decode(&v)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded mismatch (-want +got):\n%s", diff)
	}
}

// The other process may be killed while it writes, and is not always one that
// we trust.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "cut": `{"Path":"a`, "another type": `{"Path":1}`, "more": `{} {}`,
		"not spread": `{"Path":"\u0100"}`, "not spread, in a list": `{"Env":["a","\ud83d\ude00"]}`,
	} {
		var got Inner
		if err := handover.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s: no error, and %+v", name, got)
		}
	}
	var got Inner
	if err := handover.NewDecoder(strings.NewReader(`{"Path":"a`)).Decode(&got); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut value: %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	data, err := handover.Marshal(example())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"Map":{"\u00ff":{"Env":null},"\u0101":{}},"Pointer":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second outer
		if handover.Unmarshal(data, &first) != nil {
			return
		}
		data, err := handover.Marshal(first)
		if err == nil {
			err = handover.Unmarshal(data, &second)
		}
		if diff := cmp.Diff(first, second, asFarAsItTravels); err != nil || diff != "" {
			t.Errorf("a second time: %v (-first +second):\n%s", err, diff)
		}
	})
}
