package render

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"nmu/internal/must"
)

// sample has a section of each kind, and text that HTML would take for its own.
func sample(t *testing.T) Document {
	t.Helper()
	svg := must.Get(one([]Line{{"a", []Spread{{1, 1, 0}}}}))(t)
	return Document{
		Brand: "H & co\u202e", Title: "T <1>\u2067", Answer: []string{"5 < 6"},
		Facts: Facts{{"cpu", "Testor <1>"}, {"go", "go1"}},
		Sections: []Section{
			{Title: "times", SVG: [][]byte{svg}, Table: Table{Head: []string{"case", "ms"}, Rows: [][]string{{"ä", "1.5"}, {"bcd", "12"}}, Align: "lr"}},
			{Title: "notes", List: []string{"a < b\u200f\tä"}},
			{Title: "last", List: []string{"end"}},
		},
	}
}

func TestDocumentText(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, sample(t).WriteText(&b))
	want := `cpu  Testor <1>
go   go1

TIMES
case   ms
ä     1.5
bcd    12

NOTES
a < b\u200f\tä

LAST
end
`
	must.Equal(t, b.String(), want, "got\n", &b, "\nwant")
}

// A page loads nothing, runs nothing, and shows characters that reorder text as escapes.
func TestDocumentHTML(t *testing.T) {
	d := sample(t)
	var b, again bytes.Buffer
	must.Do(t, errors.Join(d.WriteHTML(&b), d.WriteHTML(&again)))
	text := b.String()
	for _, want := range []string{
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none';`, `<title>T &lt;1&gt;\u2067</title>`, `<h1>T &lt;1&gt;\u2067</h1>`, `>H &amp; co\u202e</p>`, ">5 &lt; 6</p>", "<th>cpu</th><td>Testor &lt;1&gt;</td>", "<th>case</th><th class=\"r\">ms</th>",
		"<td>bcd</td><td class=\"r\">12</td>", "<h2 id=\"section-1-title\">times</h2>", "<svg", "<li>a &lt; b\\u200f\tä</li>",
	} {
		must.Say(t, text, want)
	}
	for _, outside := range []string{"<?xml", "<script", "script-src", "<link", "src=", "@import", "url(", "\u202e", "\u2067", "\u200f"} {
		if strings.Contains(text, outside) {
			t.Errorf("the page holds %q", outside)
		}
	}
	must.Equal(t, strings.Count(text, "<table>"), 2, "tables")
	must.Equal(t, text, again.String(), "the same document gives another page")
}

// A writer that fails is reported.
func TestDocumentFails(t *testing.T) {
	broken := errors.New("broken")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	d := sample(t)
	for what, err := range map[string]error{"text": d.WriteText(w), "HTML": d.WriteHTML(w), "table": d.Facts.WriteText(w), "JSON": WriteJSON(w, 1)} {
		must.Fail(t, err, broken, "", what, "error")
	}
}

func TestBullets(t *testing.T) {
	must.Equal(t, Bullets(nil), "", "of nothing")
	must.Equal(t, Bullets([]string{"a", "b"}), "\n- a\n- b\n")
}
