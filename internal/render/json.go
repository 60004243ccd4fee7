package render

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes v as JSON for people too: indented, and with the characters of
// HTML as they are. Errors are those of encoding/json and of w.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ParseJSON reads into v what WriteJSON wrote, if its field "schema" names the
// given format. Else, or if the text is no JSON for v, there is an error.
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
