package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// As the kernel reads the first line: a path and one argument, which may hold
// spaces.
func TestInterpreter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want []string
	}{
		{"#!/bin/sh", []string{"/bin/sh"}},
		{"#! /bin/sh -e", []string{"/bin/sh", "-e"}},
		{"#!/usr/bin/env -S bash -eu", []string{"/usr/bin/env", "-S bash -eu"}},
		{"#!\t/bin/sh\t-x ", []string{"/bin/sh", "-x"}},
		{"#!", nil},
		{"# !/bin/sh", nil},
		{"#!sh", nil},
		{"#!./sh", nil},
		{"", nil},
	}
	for _, test := range tests {
		got, err := interpreter([]byte(test.line + "\necho\n"))
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != (test.want == nil) {
			t.Errorf("interpreter(%q) = %v, %v (-want +got):\n%s", test.line, got, err, diff)
		}
	}
}

func TestRootPolicy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]RootPolicy{"": AllowRoot, "allow": AllowRoot, "committed": CommittedRoot, "pinned": PinnedRoot, "deny": DenyRoot} {
		if got, err := ParseRootPolicy(text); got != want || err != nil {
			t.Errorf("ParseRootPolicy(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	// A slip of the keyboard must not open the door.
	if got, err := ParseRootPolicy("Allow"); got != DenyRoot || err == nil {
		t.Errorf("ParseRootPolicy(Allow) = %q, %v; want deny and an error", got, err)
	}
	tests := []struct {
		policy        RootPolicy
		clean, edited bool // may run
	}{
		{AllowRoot, true, true}, {CommittedRoot, true, false}, {DenyRoot, false, false}, {"", false, false},
	}
	for _, test := range tests {
		if got := test.policy.refusal("aa", true) == ""; got != test.clean {
			t.Errorf("%q: a committed hook runs: %v, want %v", test.policy, got, test.clean)
		}
		if got := test.policy.refusal("bb", false) == ""; got != test.edited {
			t.Errorf("%q: an edited hook runs: %v, want %v", test.policy, got, test.edited)
		}
	}
}

func TestPins(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("pins must belong to root")
	}
	sum := strings.Repeat("ab", 32)
	path := filepath.Join(t.TempDir(), "pins")
	if err := os.WriteFile(path, []byte("# pins\n"+strings.ToUpper(sum)+"  setup.sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if ok, err := isPinned(path, sum); !ok || err != nil {
		t.Errorf("isPinned() = %v, %v; want true", ok, err)
	}
	if ok, err := isPinned(path, sum[:62]+"cd"); ok || err != nil {
		t.Errorf("isPinned(another) = %v, %v; want false", ok, err)
	}
	if err := os.Chmod(path, 0o664); err != nil {
		t.Fatal(err)
	}
	if ok, err := isPinned(path, sum); ok || err == nil {
		t.Errorf("isPinned(writable by the group) = %v, %v; want an error", ok, err)
	}
	if _, err := isPinned(path+".missing", sum); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("isPinned(missing) = %v, want not exist", err)
	}
}
