package autoagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/shtemplate"
)

// data is what a hook reads on stdin.
type data map[string]any

// input is the event's context, an open map, and the four keys that every
// event has. Those win, since hooks trust them. Where there is no AutoAgent
// session, sessionId is the caller's own.
func (f *Format) input(ev *dialect.Event) data {
	d := make(data, len(ev.Data)+4)
	maps.Copy(d, ev.Data)
	d["eventName"] = ev.Name
	d["sessionId"] = f.session
	if f.session == "" {
		d["sessionId"] = f.options.DefaultSession
	}
	d["workspace"] = f.options.Workspace
	d["timestamp"] = json.Number(strconv.FormatInt(ev.Time.UnixMilli(), 10))
	return d
}

// line is the data as one line of JSON.
func (d data) line() ([]byte, error) {
	text, err := jsonText(map[string]any(d))
	if err != nil {
		return nil, fmt.Errorf("write event as JSON: %w", err)
	}
	return append(text, '\n'), nil
}

// jsonText is JSON as other languages write it, with < and > as they are.
func jsonText(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// lookup is what {{name}} stands for. A name without a value, which a null is
// too, stays as it is written: so the document's code has it. A list of plain
// values is a list to the shell; any other value is its JSON.
func (d data) lookup(name string) (shtemplate.Value, bool) {
	v, ok := d[name]
	if !ok || v == nil {
		return shtemplate.Value{}, false
	}
	items, isList := v.([]any)
	if !isList {
		return shtemplate.Value{Text: text(v)}, true
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		if !scalar(item) {
			return shtemplate.Value{Text: text(v)}, true
		}
		list = append(list, text(item))
	}
	return shtemplate.Value{Text: strings.Join(list, " "), List: list, IsList: true}, true
}

func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// text is a value as text; null in a list is empty, as JavaScript joins it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String() // 1.0 and 9007199254740993 as they were written
	}
	written, err := jsonText(v)
	if err != nil {
		return "" // what has been decoded from JSON can be encoded
	}
	return string(written)
}
