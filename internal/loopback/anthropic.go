package loopback

import "encoding/json"

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) read(body []byte, r *Request) error {
	var asked struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	r.Model = asked.Model
	for _, tool := range asked.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	for _, message := range asked.Messages {
		text, tool := content(message.Content)
		r.hear(message.Role == "assistant", tool, text)
	}
	return nil
}

func (anthropic) write(w *answerWriter, r Reply) {
	block, reason := object{"type": "text", "text": r.Text}, "end_turn"
	empty, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": r.Text}
	if r.Tool != "" {
		block, reason = object{"type": "tool_use", "id": w.id("toolu"), "name": r.Tool, "input": r.Input}, "tool_use"
		empty = object{"type": "tool_use", "id": w.id("toolu"), "name": r.Tool, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": string(encode(r.Input))}
	}
	message := object{
		"id": w.id("msg"), "type": "message", "role": "assistant", "model": w.model,
		"content": []object{block}, "stop_reason": reason, "stop_sequence": nil,
		"usage": object{"input_tokens": 10, "output_tokens": 5},
	}
	if !w.streams {
		w.json(message)
		return
	}
	message["content"], message["stop_reason"] = []object{}, nil
	w.events(
		object{"type": "message_start", "message": message},
		object{"type": "content_block_start", "index": 0, "content_block": empty},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 5}},
		object{"type": "message_stop"},
	)
}
