package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"discobot-hooks/internal/webhook"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

// maxTimeout is for approvals: people have holidays.
const maxTimeout = 30 * 24 * time.Hour

// seconds reads a time limit, or a delay, which may be zero.
func seconds(in yamlfile.Mapping, key string, standard, most time.Duration) time.Duration {
	if in.Value(key) == nil {
		return standard
	}
	written := in.Text(key)
	if zero, err := time.ParseDuration(strings.TrimSuffix(written, "s") + "s"); err == nil && zero == 0 && key == "retry_delay" {
		return 0
	}
	d, err := wording.TimeLimitUpTo(written, most)
	if err != nil {
		in.Wrong(key, ": %v", err)
	}
	return d
}

// whole reads a number from 0 to most.
func whole(in yamlfile.Mapping, key string, standard, most int) int {
	n := in.Value(key)
	if n == nil {
		return standard
	}
	number, err := strconv.Atoi(in.Text(key))
	if err != nil || number < 0 || number > most {
		in.Wrong(key, " is %s: write a number from 0 to %d", yamlfile.Show(n), most)
		return standard
	}
	return number
}

// oneOf reads one of a few words; the first is the default.
func oneOf(in yamlfile.Mapping, key string, words ...string) string {
	n := in.Value(key)
	if n == nil {
		return words[0]
	}
	word := in.Text(key)
	if !slices.Contains(words, word) {
		in.Wrong(key, " is %s: write %s", yamlfile.Show(n), strings.Join(words, " or "))
		return words[0]
	}
	return word
}

// required reads a text that must not be empty.
func required(in yamlfile.Mapping, key, example string) string {
	n := in.Value(key)
	if n == nil {
		in.Wrong(key, " is missing: write such as %s: %s", key, example)
		return ""
	}
	value := in.Text(key)
	if strings.TrimSpace(value) == "" {
		in.Wrong(key, " is empty: write such as %s: %s", key, example)
	}
	return value
}

// describe is what the action does, for people.
func (d definition) describe() string {
	switch d.kind {
	case kindWebhook:
		return d.request.method + " " + shownURL(d.request.url)
	case kindSpawn:
		return "pipeline " + d.child.pipeline
	}
	return strings.TrimSpace(d.command)
}

// shownURL is as much of an address as everybody may see: the host or, where
// that comes from the environment, its name.
func shownURL(template string) string {
	if name, rest, ok := strings.Cut(template, "}"); ok && strings.HasPrefix(name, "${") {
		if rest != "" {
			rest = "..."
		}
		return name + "}" + rest
	}
	return webhook.Show(template)
}
