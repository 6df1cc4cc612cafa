package agenthost

import (
	"bytes"
	"encoding/json"
)

// Answer is what the agent must read on stdout: exactly one JSON document, or
// nothing. A reprompt of text sends the model back to work; else the agent may
// stop, and note, if there is one, is shown to people where the agent can.
//
// Each host gets its own form: Codex takes an unknown key for a broken hook and
// drops it, Cursor knows another key, and only JSON with exit code 0 blocks on all of them.
func (h Host) Answer(reprompt, note string) []byte {
	switch {
	case reprompt != "" && h.Name == Cursor:
		return encode(struct {
			Followup string `json:"followup_message"`
		}{reprompt})
	case reprompt != "":
		return encode(struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
		}{h.blockWord, reprompt})
	case note != "" && h.showsNotes:
		return encode(struct {
			Message string `json:"systemMessage"`
		}{note})
	case h.Name == Cursor || h.Name == GeminiCLI:
		return []byte("{}")
	}
	return nil
}

func encode(document any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(document) // strings alone: there is no error
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
