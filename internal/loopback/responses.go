package loopback

import (
	"encoding/json"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

func (responses) read(body []byte, r *Request) error {
	var asked struct {
		Model string
		Input []struct {
			Type    string
			Role    string
			Content json.RawMessage
			Output  json.RawMessage
		}
		Tools []struct {
			Type, Name string
			Tools      []struct{ Name string } // of a namespace
		}
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	r.Model = asked.Model
	for _, tool := range asked.Tools {
		for _, inner := range tool.Tools {
			r.Tools = append(r.Tools, tool.Name+"."+inner.Name)
		}
		if tool.Name != "" && tool.Type != "namespace" { // the built-in ones, such as web_search, have no name
			r.Tools = append(r.Tools, tool.Name)
		}
	}
	for _, item := range asked.Input {
		tool := strings.HasSuffix(item.Type, "_call_output")
		text, _ := content(item.Content)
		if tool {
			text, _ = content(item.Output)
		}
		byModel := item.Role == "assistant" || strings.HasSuffix(item.Type, "_call") || item.Type == "reasoning"
		r.hear(byModel, tool, text)
	}
	return nil
}

func (responses) write(w *answerWriter, r Reply) {
	part := object{"type": "output_text", "text": r.Text, "annotations": []any{}}
	item := object{"type": "message", "id": w.id("msg"), "role": "assistant", "status": "completed", "content": []object{part}}
	if r.Tool != "" {
		item = object{
			"type": "function_call", "id": w.id("fc"), "call_id": w.id("call"), "status": "completed",
			"name": r.Tool, "arguments": string(encode(r.Input)),
		}
		if space, name, ok := strings.Cut(r.Tool, "."); ok {
			item["namespace"], item["name"] = space, name
		}
	}
	response := object{
		"id": w.id("resp"), "object": "response", "model": w.model, "status": "completed", "output": []object{item},
		"usage": object{
			"input_tokens": 10, "input_tokens_details": nil,
			"output_tokens": 5, "output_tokens_details": nil, "total_tokens": 15,
		},
	}
	if !w.streams {
		w.json(response)
		return
	}
	w.events(
		object{"type": "response.created", "response": object{"id": w.id("resp")}},
		object{"type": "response.output_item.added", "output_index": 0, "item": item},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": response},
	)
}
