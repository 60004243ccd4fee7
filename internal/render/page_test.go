package render_test

import (
	"bytes"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/render"
)

// A page loads nothing, runs nothing, and shows characters that reorder text as escapes.
func TestPageIsHarmless(t *testing.T) {
	d := render.Document{
		Brand: "a\u202eb", Title: "c\u2067d",
		Sections: []render.Section{{Title: "e\u200ff", List: []string{"g\u202eh\tä"}}},
	}
	var b bytes.Buffer
	must.Do(t, d.WriteHTML(&b))
	page := b.String()
	if !strings.Contains(page, `<meta http-equiv="Content-Security-Policy" content="default-src 'none';`) || strings.Contains(page, "script-src") {
		t.Error("no policy")
	}
	for _, want := range []string{`a\u202eb`, `c\u2067d`, `e\u200ff`, "g\\u202eh\tä"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.ContainsAny(page, "\u202e\u2067\u200f") {
		t.Error("a control is on the page")
	}
}
