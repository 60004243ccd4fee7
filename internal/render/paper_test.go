package render

import (
	"bytes"
	"testing"

	"nmu/internal/must"
)

// A drawing has white paper below all of it, also below the legend beside the plot: a dark page
// would show black letters on black.
func TestDrawingHasPaper(t *testing.T) {
	text := must.Get(one([]Line{{"a", []Spread{{1, 1, 0}}}}))(t)
	at := bytes.Index(text, []byte(`<rect width="100%" height="100%" style="fill:#FFFFFF" />`))
	if first := bytes.Index(text, []byte("<text ")); at < 0 || at > first {
		t.Errorf("no paper in %s", text)
	}
}
