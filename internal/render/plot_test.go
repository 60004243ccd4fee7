package render

import (
	"bytes"
	"math"
	"testing"
)

// Plots of little and of much: one bar, no length at all, more series than
// colours, points in any order.
func TestPlots(t *testing.T) {
	var many []Bar
	for i := range 2 * len(colors) {
		many = append(many, Bar{Label: string(rune('a' + i%3)), Series: string(rune('A' + i)), Value: float64(i)})
	}
	for _, c := range []struct {
		name string
		draw func() ([]byte, error)
	}{
		{"one bar", func() ([]byte, error) { return Bars("t", "s", []Bar{{"a", "b", 1}}) }},
		{"no length", func() ([]byte, error) { return Bars("t", "s", []Bar{{"a", "b", 0}}) }},
		{"many bars", func() ([]byte, error) { return Bars("t", "s", many) }},
		{"one point", func() ([]byte, error) { return Lines("t", "n", "s", []Point{{"a", 1, 1}}) }},
		{"zero", func() ([]byte, error) { return Lines("t", "n", "s", []Point{{"a", 1, 0}}) }},
		{"two lines", func() ([]byte, error) {
			return Lines("t", "n", "s", []Point{{"a", 2, 1}, {"b", 1, 1}, {"a", 1, 30}, {"b", 100, 1e-3}})
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
		wellFormed(t, svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: the plot holds NaN or Inf", c.name)
		}
		if again, err := c.draw(); err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: the same numbers give another plot (%v)", c.name, err)
		}
	}
}

// Points are joined from left to right, whatever their order.
func TestLinesSorted(t *testing.T) {
	points := []Point{{"a", 1, 1}, {"a", 2, 5}, {"a", 3, 2}}
	want, err := Lines("t", "n", "s", points)
	if err != nil {
		t.Fatal(err)
	}
	points[0], points[2] = points[2], points[0]
	if got, err := Lines("t", "n", "s", points); err != nil || !bytes.Equal(got, want) {
		t.Errorf("another order gives another plot (%v)", err)
	}
}

func TestPlotsFail(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := Bars("t", "s", []Bar{{"a", "b", x}}); err == nil {
			t.Errorf("a bar of length %v is drawn", x)
		}
		if _, err := Lines("t", "n", "s", []Point{{"a", 1, x}}); err == nil {
			t.Errorf("a point at %v is drawn", x)
		}
		if _, err := Panels("t", "n", []Panel{{Lines: []Line{{"a", []Spread{{1, x, 0}}}}}}, 0); err == nil {
			t.Errorf("a point of a panel at %v is drawn", x)
		}
	}
}
