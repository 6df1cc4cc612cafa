package loopback

import (
	"encoding/json"
	"strings"
)

// hear takes the next message of the conversation. What came before the
// model's own last one is no news: only what comes after it stays.
func (r *Request) hear(byModel, tool bool, text string) {
	switch {
	case byModel:
		r.News, r.Tool = "", false
	case r.News == "":
		r.News, r.Tool = text, tool
	default:
		r.News, r.Tool = r.News+"\n"+text, r.Tool || tool
	}
}

// content is the text of a message's content, which is a string or a list of
// parts; tool tells that a part of it is a tool's result. It is what Anthropic
// and OpenAI have in common.
func content(raw json.RawMessage) (text string, tool bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, false
	}
	var parts []struct {
		Type    string
		Text    string
		Content json.RawMessage // of a tool's result: again a string or parts
	}
	if json.Unmarshal(raw, &parts) != nil {
		return string(raw), false
	}
	var texts []string
	for _, part := range parts {
		inner := part.Text
		if part.Type == "tool_result" {
			tool = true
			inner, _ = content(part.Content)
		}
		texts = append(texts, inner)
	}
	return strings.Join(texts, "\n"), tool
}
