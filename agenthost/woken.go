package agenthost

import (
	"strings"

	"discobot-hooks/internal/regular"
)

// maxTranscript is how much of a transcript's end is read, in bytes.
const maxTranscript = 8 << 20

// Woken tells that the agent itself began the turn that ended, since something in
// the background was done: certainly not the user. A payload does not say so, but
// for Claude Code such a turn has a key of its own, and for Copilot no flag is
// set. A model that answers each re-prompt by starting a command in the background
// would never come to the last one.
//
// It is in the agents' transcripts. Where these cannot be read, or have another
// form than we know, nothing is certain.
func (s Stop) Woken() bool {
	end, err := regular.ReadTail(s.transcript, maxTranscript)
	switch {
	case s.Host.Name == ClaudeCode:
		return err == nil && wokenClaude(string(end), s.Key)
	case s.Host.Name == CopilotCLI:
		return s.continued || err == nil && wokenCopilot(string(end))
	}
	return false
}

// wokenClaude looks for the first entry with the turn's key: its prompt, which alone
// says where it came from. What a string within an entry quotes has its quotes
// escaped.
func wokenClaude(transcript, key string) bool {
	_, entry, found := strings.Cut(transcript, `"promptId":"`+key+`"`)
	entry, _, _ = strings.Cut(entry, "\n")
	return found && key != "" && strings.Contains(entry, `"promptSource":"system"`)
}

// wokenCopilot looks for what came first after the last stop's hooks: a notice, or
// a message. One of ours may have waited in its queue behind a notice, and then
// comes without the flag.
func wokenCopilot(transcript string) bool {
	const message = `"type":"user.message"`
	since := transcript[max(0, strings.LastIndex(transcript, `"hookType":"agentStop","success"`)):]
	before, after, _ := strings.Cut(since, message)
	return strings.Contains(before, `"type":"system.notification"`) || strings.HasPrefix(after, `,"data":{"content":"[Discobot Hook Failed]`)
}
