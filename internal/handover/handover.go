// Package handover writes values for another process of this program, and reads
// them there: as JSON that keeps every byte. Paths, environments and what hooks
// say need not be UTF-8, and encoding/json would replace what is not.
//
// Start with [Marshal] and [Unmarshal], or with [Encoder] and [Decoder] where
// several values follow each other. Only exported fields travel, and no values
// behind interfaces. The form is for two processes that live at the same time: it
// is kept in no file. Unlike encoding/gob, which would do as well, it costs no
// start of the program anything.
package handover

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
)

// Marshal is v, a value or a pointer to one.
func Marshal(v any) ([]byte, error) { return json.Marshal(spread(v)) }

// Unmarshal sets what v points to. Its zero value is expected there.
func Unmarshal(data []byte, v any) error { return gather(v, json.Unmarshal(data, v)) }

// An Encoder writes values one after the other.
type Encoder struct{ to *json.Encoder }

// NewEncoder makes an Encoder that writes each value at once.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{json.NewEncoder(w)} }

// Encode writes v as [Marshal] has it.
func (e *Encoder) Encode(v any) error { return e.to.Encode(spread(v)) }

// A Decoder reads what an [Encoder] writes.
type Decoder struct{ from *json.Decoder }

// NewDecoder makes a Decoder, which may read more than it has given.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{json.NewDecoder(r)} }

// Decode sets what v points to, as [Unmarshal] does. At the end of the input it
// returns io.EOF.
func (d *Decoder) Decode(v any) error { return gather(v, d.from.Decode(v)) }

// spread makes each byte of each string a character of its own, U+0000 to U+00FF,
// so that all strings are UTF-8.
func spread(v any) any {
	return replaceIn(reflect.ValueOf(v), func(text string) string {
		out := make([]rune, len(text))
		for i := range len(text) {
			out[i] = rune(text[i])
		}
		return string(out)
	}).Interface()
}

var errNotSpread = errors.New("a character beyond U+00FF in what another process handed over")

// gather undoes spread in what v points to.
func gather(v any, err error) error {
	if err != nil {
		return err
	}
	value := reflect.ValueOf(v).Elem()
	value.Set(replaceIn(value, func(text string) string {
		out := make([]byte, 0, len(text))
		for _, c := range text {
			if c > 0xff {
				err = errNotSpread
			}
			out = append(out, byte(c))
		}
		return string(out)
	}))
	return err
}
