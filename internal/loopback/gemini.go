package loopback

import "encoding/json"

// gemini is the Gemini API. The path, not the body, says whether to stream.
type gemini struct{ stream bool }

func (gemini) read(body []byte, r *Request) error {
	type part struct {
		Text             string
		FunctionResponse json.RawMessage
	}
	var asked struct {
		Contents []struct {
			Role  string
			Parts []part
		}
		Tools []struct{ FunctionDeclarations []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	for _, tool := range asked.Tools {
		for _, function := range tool.FunctionDeclarations {
			r.Tools = append(r.Tools, function.Name)
		}
	}
	for _, message := range asked.Contents {
		for _, p := range message.Parts {
			r.hear(message.Role == "model", p.FunctionResponse != nil, p.Text+string(p.FunctionResponse))
		}
	}
	return nil
}

func (g gemini) write(w *answerWriter, r Reply) {
	part := object{"text": r.Text}
	if r.Tool != "" {
		part = object{"functionCall": object{"name": r.Tool, "args": r.Input}}
	}
	answer := object{
		"candidates": []object{{
			"index": 0, "finishReason": "STOP",
			"content": object{"role": "model", "parts": []object{part}},
		}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  "mock",
	}
	if g.stream {
		w.events(answer)
		return
	}
	w.json(answer)
}
