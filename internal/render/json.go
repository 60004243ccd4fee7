package render

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Real is a number of a file that may be infinite. JSON has no such number: it is null there.
type Real float64

// MarshalJSON implements json.Marshaler.
func (x Real) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 1) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Real) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Real(math.Inf(1))
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}

// WriteJSON writes v as readable JSON: indented, and without escapes for the characters of
// HTML. Errors are those of encoding/json and of w.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ParseJSON reads into v a text of WriteJSON. It returns an error if the text is no JSON for v,
// or if its field "schema" does not name the given format.
func ParseJSON(text []byte, schema string, v any) error {
	var has struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &has); err != nil {
		return err
	}
	if has.Schema != schema {
		return fmt.Errorf("its schema is %q, this program reads %q", has.Schema, schema)
	}
	return json.Unmarshal(text, v)
}
