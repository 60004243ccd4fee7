package render

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
)

// one draws lines in one panel.
func one(lines []Line) ([]byte, error) {
	return Panels("t", "n", []Panel{{Y: "s", Lines: lines}}, 0)
}

// Plots of little and of much: one point, more lines than colours.
func TestPlots(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func() ([]byte, error)
	}{
		{"one point", func() ([]byte, error) { return one([]Line{{"a", []Spread{{1, 1, 0}}}}) }},
		{"zero", func() ([]byte, error) { return one([]Line{{"a", []Spread{{1, 0, 0}}}}) }},
		{"two lines", func() ([]byte, error) {
			return one([]Line{{"a", []Spread{{1, 30, 0}, {2, 1, 0}}}, {"b", []Spread{{1, 1, 0}, {100, 1e-3, 0}}}})
		}},
		{"many lines", func() ([]byte, error) {
			var many []Line
			for i := range 2 * len(colors) {
				many = append(many, Line{string(rune('A' + i)), []Spread{{1, float64(i), 0}}})
			}
			return one(many)
		}},
		{"panels", func() ([]byte, error) {
			return Panels("t", "n", []Panel{
				{Y: "a", Lines: []Line{{"b", []Spread{{2, 1, 0.1}, {3, 0.5, 0}}}, {"c", nil}}},
				{Y: "d", Max: 1, Most: 2, Lines: []Line{{"e", []Spread{{4, 0.5, 0}, {5, 100, 9}}}}},
			}, 3)
		}},
		{"an empty panel", func() ([]byte, error) { return Panels("t", "n", []Panel{{Y: "a", Max: 1}}, 0) }},
	} {
		svg, err := c.draw()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		elementsOf(t, svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: the plot holds NaN or Inf", c.name)
		}
		if again, err := c.draw(); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: the same numbers give another plot (%v)", c.name, err)
		}
	}
}

// Axes end at labelled ticks.
func TestAxisEnds(t *testing.T) {
	for _, c := range []struct {
		min, max float64
		want     []string
	}{
		{0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{0, 44.6, []string{"0", "10", "20", "30", "40", "50"}},
		{-0.12, 1, []string{"-0.5", "0", "0.5", "1"}},
		{3, 3, []string{"2", "2.5", "3", "3.5", "4"}},
	} {
		a := upright("", c.min, c.max, 0)
		var got []string
		for _, tick := range a.ticks {
			got = append(got, tick.label)
		}
		if !slices.Equal(got, c.want) || got[0] != Number(a.min) || got[len(got)-1] != Number(a.max) || a.min > c.min || a.max < c.max {
			t.Errorf("%v to %v: ticks %q from %v to %v, want %q", c.min, c.max, got, a.min, a.max, c.want)
		}
	}
}

// A legend is at the right of all that is drawn, and a long name fits.
func TestLegendBeside(t *testing.T) {
	const name = "a long name of a line"
	text := must.Get(one([]Line{{name, []Spread{{1, 1, 0}, {100, 3, 0}}}, {"b", []Spread{{2, 3, 0}}}}))(t)
	number := func(pattern string) (largest float64) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			x := must.Get(strconv.ParseFloat(found[1], 64))(t)
			largest = max(largest, x)
		}
		return largest
	}
	width, circle, legend := number(`<svg xmlns="[^"]*" width="([0-9.]+)"`), number(`<circle cx="([0-9.]+)"`), number(`<text x="([0-9.]+)"[^>]*>`+name)
	if circle == 0 || legend < circle+5 || legend+wide(name) > width {
		t.Errorf("points up to %v, the name from %v to %v, the drawing up to %v", circle, legend, legend+wide(name), width)
	}
}

// No mark, and no part of a line, is drawn beyond Most.
func TestPanelEnds(t *testing.T) {
	points := []Spread{{X: 1, Y: 1}, {X: 2, Y: 2, Error: 9}, {X: 3, Y: 50}}
	text := must.Get(Panels("t", "n", []Panel{{Y: "a", Most: 2, Lines: []Line{{"b", points}}}}, 0))(t)
	_, inner, ok := strings.Cut(string(text[1:]), "<svg ")
	inner, after, closed := strings.Cut(inner, "</svg>")
	if marks := strings.Count(string(text), "<circle"); marks != 2 || !ok || !closed || !strings.Contains(inner, `stroke-width="1.8"`) || strings.Contains(after, `stroke-width="1.8"`) {
		t.Errorf("%d marks, want 2; the line must be in a document of its own:\n%s", marks, text)
	}
}

// Ticks are multiples of 1, 2 or 5 times a power of ten that cover the range, of any size.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi, least float64
		n             int
		want          []float64
	}{
		{0, 1, 0, 5, []float64{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}},
		{1.5, 14.5, 1, 16, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
		{2, 3, 1, 6, []float64{2, 3}},
		{0, 3e-9, 0, 5, []float64{0, 1e-9, 2e-9, 3.0000000000000004e-9}},
		{-math.MaxFloat64, math.MaxFloat64, 0, 5, []float64{-math.MaxFloat64, math.MaxFloat64}},
		{0, math.SmallestNonzeroFloat64, 0, 5, []float64{0, math.SmallestNonzeroFloat64}},
		{1e300, math.Nextafter(1e300, math.Inf(1)), 0, 5, []float64{1e300, math.Nextafter(1e300, math.Inf(1))}},
	} {
		must.EqualSlices(t, Ticks(c.lo, c.hi, c.n, c.least), c.want, c.lo, "to", c.hi)
	}
}

func TestPlotsFail(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := one([]Line{{"a", []Spread{{1, x, 0}}}}); err == nil {
			t.Errorf("a point at %v is drawn", x)
		}
	}
}

// A drawing has white paper below all of it, also below the legend beside the plot: a dark page
// would show black letters on black.
func TestDrawingHasPaper(t *testing.T) {
	text := must.Get(one([]Line{{"a", []Spread{{1, 1, 0}}}}))(t)
	at := bytes.Index(text, []byte(`<rect width="100%" height="100%" style="fill:#FFFFFF" />`))
	if first := bytes.Index(text, []byte("<text ")); at < 0 || at > first {
		t.Errorf("no paper in %s", text)
	}
}
