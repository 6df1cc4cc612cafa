package main

import (
	"strings"
	"testing"
)

func TestIsInit(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"discobot-hooks init -- agent":                              true,
		"/usr/local/bin/discobot-hooks --dir /ws init -- sh":        true,
		"discobot-hooks init --user 1000 -- discobot-hooks session": true,
		"discobot-hooks session --dir /ws":                          false,
		"discobot-hooks session -- init":                            false,
		"/sbin/init":                                                false,
		"sh -c discobot-hooks init":                                 false,
		"discobot-hooks":                                            false,
		"":                                                          false,
	} {
		raw := strings.ReplaceAll(line, " ", "\x00")
		if raw != "" {
			raw += "\x00"
		}
		if got := isInit([]byte(raw)); got != want {
			t.Errorf("isInit(%q) = %v, want %v", line, got, want)
		}
	}
}
