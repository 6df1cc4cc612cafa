package loopback

import (
	"encoding/json"
	"fmt"
)

// chat is OpenAI's Chat Completions API, which many servers speak.
type chat struct{}

func (chat) read(body []byte, r *Request) error {
	var asked struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	r.Model = asked.Model
	for _, tool := range asked.Tools {
		r.Tools = append(r.Tools, tool.Function.Name)
	}
	for _, message := range asked.Messages {
		text, _ := content(message.Content)
		r.hear(message.Role == "assistant", message.Role == "tool", text)
	}
	return nil
}

func (chat) write(w *answerWriter, r Reply) {
	message, reason := object{"role": "assistant", "content": r.Text}, "stop"
	if r.Tool != "" {
		function := object{"name": r.Tool, "arguments": string(encode(r.Input))}
		use := object{"index": 0, "id": w.id("call"), "type": "function", "function": function}
		message, reason = object{"role": "assistant", "content": nil, "tool_calls": []object{use}}, "tool_calls"
	}
	choice := object{"index": 0, "message": message, "finish_reason": reason}
	answer := object{
		"id": w.id("chatcmpl"), "object": "chat.completion", "created": 1, "model": w.model, "choices": []object{choice},
		"usage": object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	}
	if !w.streams {
		w.json(answer)
		return
	}
	chunk := func(choice object) object {
		return object{"id": answer["id"], "object": "chat.completion.chunk", "created": 1, "model": w.model, "choices": []object{choice}}
	}
	last := chunk(object{"index": 0, "delta": object{}, "finish_reason": reason})
	last["usage"] = answer["usage"]
	w.events(chunk(object{"index": 0, "delta": message, "finish_reason": nil}), last)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
