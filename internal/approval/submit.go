package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

const (
	maxBodyBytes = 64 << 10

	howToAnswer = `POST {"action":"approve"} as application/json, the form field action=approve, or ?action=approve in the URL.`
)

// A refusal is why a request does not answer the question.
type refusal struct {
	status int
	hint   string
}

func (r *refusal) Error() string { return r.hint }

func refuse(status int, hint string) *refusal { return &refusal{status, hint} }

// readAnswer reads what was POSTed. Every error is a [*refusal].
func readAnswer(w http.ResponseWriter, r *http.Request) (answerRecord, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return answerRecord{}, refuse(http.StatusRequestEntityTooLarge, "An answer has 64 KiB at most.")
	}
	if err != nil {
		return answerRecord{}, refuse(http.StatusBadRequest, "The request broke off. Try again.")
	}
	return parseAnswer(r.Header.Get("Content-Type"), r.URL.Query(), body)
}

// parseAnswer reads an answer of any kind. The body's action goes before the
// URL's, which is that of the link and not of the button.
func parseAnswer(contentType string, query url.Values, body []byte) (answerRecord, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return fromFields("", query, "")
	}
	kind, parameters, _ := mime.ParseMediaType(contentType) // what cannot be parsed is empty
	looksJSON := bytes.TrimLeft(body, " \t\r\n")[0] == '{'
	switch {
	case kind == "application/json", kind == "" && contentType == "" && looksJSON:
		return fromJSON(query, body)
	case kind == "application/x-www-form-urlencoded" && looksJSON: // curl -d without -H
		return fromJSON(query, body)
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return answerRecord{}, refuse(http.StatusBadRequest, "The form cannot be read. "+howToAnswer)
		}
		return fromFields(form.Get("action"), query, form.Get("message"))
	case kind == "multipart/form-data":
		return fromMultipart(parameters["boundary"], query, body)
	}
	return answerRecord{}, refuse(http.StatusUnsupportedMediaType, "An answer is JSON or a form. "+howToAnswer)
}

func fromMultipart(boundary string, query url.Values, body []byte) (answerRecord, error) {
	// Nothing of so small a body is written to disk.
	form, err := multipart.NewReader(bytes.NewReader(body), boundary).ReadForm(2 * maxBodyBytes)
	if err != nil {
		return answerRecord{}, refuse(http.StatusBadRequest, "The form cannot be read. "+howToAnswer)
	}
	values := url.Values(form.Value)
	return fromFields(values.Get("action"), query, values.Get("message"))
}

// fromFields makes the answer of a form, whose fields may be empty.
func fromFields(action string, query url.Values, message string) (answerRecord, error) {
	name, err := chosen(action, query)
	if err != nil {
		return answerRecord{}, err
	}
	if name == "" {
		return answerRecord{}, refuse(http.StatusBadRequest, "No action is named. "+howToAnswer)
	}
	if message == "" {
		message = query.Get("message")
	}
	// Browsers send line ends as CR LF.
	message = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(message, "\uFFFD"), "\r\n", "\n"))
	body, err := json.Marshal(struct {
		Action  string `json:"action"`
		Message string `json:"message"`
	}{name, message})
	if err != nil {
		return answerRecord{}, refuse(http.StatusBadRequest, "The message cannot be kept.")
	}
	return answerRecord{Action: name, Message: message, Body: body}, nil
}

// fromJSON takes an object as it is. One that names no action is refused:
// {"Action": "reject"} must not approve.
func fromJSON(query url.Values, body []byte) (answerRecord, error) {
	var object map[string]json.RawMessage // its keys are exact; a struct's ignore case
	if err := json.Unmarshal(body, &object); err != nil || object == nil || !utf8.Valid(body) {
		return answerRecord{}, refuse(http.StatusBadRequest, "The body is no JSON object. "+howToAnswer)
	}
	var action, message string
	for key, raw := range object {
		if !strings.EqualFold(key, "action") {
			continue
		}
		// The link's own action must not stand in for one that was meant.
		if key != "action" || json.Unmarshal(raw, &action) != nil || strings.TrimSpace(action) == "" {
			return answerRecord{}, refuse(http.StatusBadRequest, "The action is no text under the key action. "+howToAnswer)
		}
	}
	_ = json.Unmarshal(object["message"], &message) // another type is the service's own
	name, err := chosen(action, query)
	if err != nil {
		return answerRecord{}, err
	}
	if name == "" {
		return answerRecord{}, refuse(http.StatusBadRequest, "No action is named. "+howToAnswer)
	}
	return answerRecord{Action: name, Message: message, Body: body}, nil
}

// chosen is the action that was meant; empty where none is named.
func chosen(action string, query url.Values) (string, error) {
	if strings.TrimSpace(action) == "" {
		action = query.Get("action")
	}
	name, err := actionName(action)
	if err != nil {
		return "", refuse(http.StatusBadRequest, "The action's name must be at most 64 printable characters.")
	}
	return name, nil
}
