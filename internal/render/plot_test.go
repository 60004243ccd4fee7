package render

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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

// Axes end at labelled ticks, plain ones and logarithmic ones.
func TestAxisEnds(t *testing.T) {
	for _, c := range []struct {
		min, max float64
		log      bool
		want     []string
	}{
		{0, 1, false, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{0, 44.6, false, []string{"0", "10", "20", "30", "40", "50"}},
		{-0.12, 1, false, []string{"-0.5", "0", "0.5", "1"}},
		{3, 3, false, []string{"2", "2.5", "3", "3.5", "4"}},
		{1.3, 40, true, []string{"1", "2", "5", "10", "20", "50"}},
		{0.02, 0.5, true, []string{"0.02", "0.05", "0.1", "0.2", "0.5"}},
		{0.004, 7, true, []string{"0.001", "0.01", "0.1", "1", "10"}},
		{2e-10, 6, true, []string{"1e-10", "1e-08", "1e-06", "0.0001", "0.01", "1", "100"}},
		{1, 1e9, true, []string{"1", "100", "10000", "1000000", "1e+08", "1e+10"}},
		{3, 3, true, []string{"2", "5"}},
		{1, 1, true, []string{"1", "2"}},
	} {
		a := plot.Axis{Min: c.min, Max: c.max}
		if c.log {
			endAtLogTicks(&a)
		} else {
			endAtTicks(&a, 5, 0)
		}
		var got []string
		for _, tick := range a.Tick.Marker.Ticks(a.Min, a.Max) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		text := Number
		if c.log {
			text = logNumber
		}
		if !slices.Equal(got, c.want) || got[0] != text(a.Min) || got[len(got)-1] != text(a.Max) || a.Min > c.min || a.Max < c.max {
			t.Errorf("%v to %v: ticks %q from %v to %v, want %q", c.min, c.max, got, a.Min, a.Max, c.want)
		}
	}
}

// A legend is at the right of what is drawn.
func TestLegendBeside(t *testing.T) {
	p := newPlot("")
	if err := addLines(p, []Point{{"a long name of a line", 1, 1}, {"b", 2, 3}}, true); err != nil {
		t.Fatal(err)
	}
	c := draw.NewCanvas(vgsvg.New(300, 200), 300, 200)
	inner := draw.Crop(c, 0, -legendWidth(p), 0, 0)
	drawBeside(p, inner)
	if icon := p.DataCanvas(inner).Min.X + p.Legend.XOffs; icon <= inner.Max.X || !p.Legend.Left {
		t.Errorf("the legend begins at %v, within a plot up to %v", icon, inner.Max.X)
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
