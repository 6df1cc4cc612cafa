package advice

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	priorityDefault = 2 // beads' own for a new issue
	priorityMax     = 4
)

// An Addition is an advice to be: the flags of `advice add`. Zero values say
// nothing, but for what their comments say.
type Addition struct {
	Title, Description string

	// Rig, Role and Agent become labels. Without any label the advice is
	// global.
	Rig, Role, Agent string
	Labels           []string

	Priority *int // 0 to 4; nil: 2, as for any new issue

	HookCommand, HookTrigger, HookOnFailure string

	// HookTimeout, in seconds, only counts where TimeoutSet tells that it was
	// given. Zero is the default then too, and not written.
	HookTimeout int
	TimeoutSet  bool

	ID string // empty: made
}

// Validate tells everything that is wrong with an addition.
func (a Addition) Validate() error {
	checks := []error{
		a.checkTitle(), a.checkText(), a.checkHook(),
		checkCommand(a.HookCommand), checkTrigger(a.HookTrigger), checkOnFailure(a.HookOnFailure), checkTimeout(a.timeout()),
	}
	if p := a.Priority; p != nil && (*p < 0 || *p > priorityMax) {
		checks = append(checks, fmt.Errorf("priority is %d: write 0 (first) to %d", *p, priorityMax))
	}
	for _, label := range a.labels() {
		checks = append(checks, checkLabel(label))
	}
	if strings.Contains(a.Rig+a.Role, "/") {
		checks = append(checks, errors.New("rig and role are one part of an agent's rig/role/name each: write them without /"))
	}
	if a.ID != "" {
		checks = append(checks, checkID(a.ID))
	}
	return errors.Join(checks...)
}

func (a Addition) checkTitle() error {
	switch n := utf8.RuneCountInString(a.Title); {
	case strings.TrimSpace(a.Title) == "":
		return errors.New("title is missing: say what the advice is")
	case n > titleMax:
		return fmt.Errorf("title has %d characters: write %d at most, and the rest as description", n, titleMax)
	case strings.ContainsFunc(a.Title, unicode.IsControl):
		return errors.New("title must be one line, without control characters")
	}
	return nil
}

// checkText refuses what JSON would not give back as it was.
func (a Addition) checkText() error {
	for _, text := range []struct{ field, value string }{
		{"title", a.Title}, {"description", a.Description}, {"hook command", a.HookCommand},
	} {
		if !utf8.ValidString(text.value) {
			return fmt.Errorf("%s is not UTF-8", text.field)
		}
	}
	return nil
}

func (a Addition) checkHook() error {
	switch {
	case a.HookCommand != "" && strings.TrimSpace(a.HookCommand) == "":
		return errors.New("hook command is blank: write a command, or leave it out")
	case a.HookCommand != "" && a.HookTrigger == "":
		return fmt.Errorf("hook command without hook trigger: add one of %s", strings.Join(ValidAdviceHookTriggers, ", "))
	case a.HookCommand == "" && a.HookOnFailure != "":
		return errors.New("hook on-failure without hook command: add the command")
	case a.HookCommand == "" && a.TimeoutSet:
		return errors.New("hook timeout without hook command: add the command")
	}
	return nil
}

func (a Addition) timeout() int {
	if a.TimeoutSet {
		return a.HookTimeout
	}
	return 0
}

// labels are all that the advice gets, none twice.
func (a Addition) labels() []string {
	var labels []string
	for i, value := range []string{a.Rig, a.Role, a.Agent} {
		if value != "" {
			labels = append(labels, dimensions[i]+":"+value)
		}
	}
	for _, label := range a.Labels {
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 0 {
		return []string{"global"}
	}
	return labels
}

// checkLabel refuses what beads' own commands would split or trim.
func checkLabel(label string) error {
	bad := func(r rune) bool { return r == ',' || unicode.IsSpace(r) || unicode.IsControl(r) }
	if strings.HasSuffix(label, ":") {
		return fmt.Errorf("label %.80q reaches nobody: write what comes after the colon", label)
	}
	if label == "" || !utf8.ValidString(label) || strings.ContainsFunc(label, bad) {
		return fmt.Errorf("label %.80q cannot be one: write a word without spaces and commas", label)
	}
	return nil
}

// line is the advice as an issue, with its newline.
func (a Addition) line(id string, now time.Time, actor string) ([]byte, error) {
	priority := priorityDefault
	if a.Priority != nil {
		priority = *a.Priority
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // commands are full of < > &, and people read the file
	err := to.Encode(struct {
		ID            string    `json:"id"`
		Title         string    `json:"title"`
		Description   string    `json:"description,omitempty"`
		IssueType     string    `json:"issue_type"`
		Status        string    `json:"status"`
		Priority      int       `json:"priority"`
		Labels        []string  `json:"labels"`
		CreatedAt     time.Time `json:"created_at"`
		UpdatedAt     time.Time `json:"updated_at"`
		CreatedBy     string    `json:"created_by,omitempty"`
		HookCommand   string    `json:"advice_hook_command,omitempty"`
		HookTrigger   string    `json:"advice_hook_trigger,omitempty"`
		HookTimeout   int       `json:"advice_hook_timeout,omitempty"`
		HookOnFailure string    `json:"advice_hook_on_failure,omitempty"`
	}{
		ID: id, Title: a.Title, Description: a.Description, IssueType: issueType, Status: statusOpen,
		Priority: priority, Labels: a.labels(), CreatedAt: now.UTC(), UpdatedAt: now.UTC(), CreatedBy: actor,
		HookCommand: a.HookCommand, HookTrigger: a.HookTrigger, HookTimeout: a.timeout(), HookOnFailure: a.HookOnFailure,
	})
	if n := out.Len(); n > lineLimit {
		err = cmp.Or(err, fmt.Errorf("it has %d bytes: write a description that keeps it below %d MiB", n, lineLimit>>20))
	}
	return out.Bytes(), err
}
