package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Bar is a bar of a plot. Its label names the row, and its series decides the colour.
type Bar struct {
	Label, Series string
	Value         float64
}

// Point is a point of a line.
type Point struct {
	Line string // its name
	X, Y float64
}

// Line is a sequence of points, joined in order.
type Line struct {
	Name   string
	Points []Spread
}

// Spread is a point with an error bar of half-length Error, if that is positive.
type Spread struct{ X, Y, Error float64 }

// Panel is one of several plots in a column with a common horizontal axis.
type Panel struct {
	Y        string  // the name of its own axis
	Min, Max float64 // the axis covers at least this range
	Most     float64 // if positive, the axis ends here at the latest
	Lines    []Line
}

// colors can be told apart by the colour-blind, and in grey (Okabe and Ito).
var colors = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"}

// distinct lists the values of a field in order of first appearance.
func distinct[T any](list []T, field func(T) string) []string {
	var found []string
	for _, x := range list {
		if f := field(x); !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

// notFinite is the error for a number that no axis can show.
func notFinite(of string, x float64) error {
	return fmt.Errorf("a plot of %s: %v is not finite", of, x)
}

// Bars draws a row of bars for each label, the first at the top, with one colour for each
// series. It returns a complete SVG document. name is that of the axis of the values, which must be
// nonnegative. A value that is not finite is an error.
func Bars(title, name string, list []Bar) ([]byte, error) {
	labels := distinct(list, func(b Bar) string { return b.Label })
	series := distinct(list, func(b Bar) string { return b.Series })
	most := 0.0
	for _, b := range list {
		if math.IsNaN(b.Value) || math.IsInf(b.Value, 0) {
			return nil, notFinite(b.Label, b.Value)
		}
		most = max(most, b.Value)
	}
	const thick, gap = 12.0, 10.0
	row := gap + thick*float64(len(series))
	d := newDrawing(title, line+widest(labels), 520, max(row*float64(len(labels))+gap, line*float64(len(series))), series)
	x := linear(name, 0, 1.1*most, 6, 0) // with room for the numbers
	d.across(&x)
	for i, label := range labels {
		d.text(d.left-8, d.top+row*(float64(i)+0.5)+gap/2, end, label)
	}
	for _, b := range list {
		s := slices.Index(series, b.Series)
		at := d.top + gap + row*float64(slices.Index(labels, b.Label)) + thick*float64(s)
		d.rect(d.left, at, x.place(b.Value)-d.left, thick-1, colors[s%len(colors)])
		d.text(x.place(b.Value)+4, at+thick/2, start, Number(b.Value))
	}
	d.legend(series, 0, false)
	return d.document(), nil
}

// Lines draws the points of each line, joined from left to right, and returns a complete SVG
// document. The axes, named x and y, are logarithmic if all numbers are positive. A number that
// is not finite is an error.
func Lines(title, x, y string, points []Point) ([]byte, error) {
	p := pane{lines: linesOf(points), marks: true}
	xs, ys, err := p.ranges()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(points, func(at Point) bool { return !(at.X > 0 && at.Y > 0) }) {
		p.x, p.y = linear(x, xs[0], xs[1], 6, 0), linear(y, ys[0], ys[1], 6, 0)
	} else {
		p.x, p.y = logarithmic(x, xs[0], xs[1]), logarithmic(y, ys[0], ys[1])
	}
	return column(title, 360, p), nil
}

// Curves draws the points of each line, joined from left to right, without marks and over
// linear axes. It returns a complete SVG document. x and y name the axes. A number that is not
// finite is an error.
func Curves(title, x, y string, points []Point) ([]byte, error) {
	p := pane{lines: linesOf(points)}
	xs, ys, err := p.ranges()
	if err != nil {
		return nil, err
	}
	p.x, p.y = linear(x, xs[0], xs[1], 8, 0), linear(y, ys[0], ys[1], 4, 0)
	return column(title, 260, p), nil
}

// linesOf returns the lines of points, each from left to right.
func linesOf(points []Point) []Line {
	var lines []Line
	for _, name := range distinct(points, func(at Point) string { return at.Line }) {
		l := Line{Name: name}
		for _, at := range points {
			if at.Line == name {
				l.Points = append(l.Points, Spread{X: at.X, Y: at.Y})
			}
		}
		slices.SortStableFunc(l.Points, func(a, b Spread) int { return cmp.Compare(a.X, b.X) })
		lines = append(lines, l)
	}
	return lines
}

// Panels draws the panels in a column and returns a complete SVG document. x names their
// horizontal axis of whole numbers. Points above Most are not drawn. A dashed line marks the
// place mark on the axis, unless mark is 0. A number that is not finite is an error.
func Panels(title, x string, panels []Panel, mark int) ([]byte, error) {
	panes := make([]pane, len(panels))
	least, most := math.Inf(1), math.Inf(-1)
	first := 0
	for i, panel := range panels {
		p := pane{lines: panel.Lines, first: first, marks: true, dashed: float64(mark)}
		first += len(panel.Lines)
		xs, ys, err := p.ranges()
		if err != nil {
			return nil, err
		}
		least, most = min(least, xs[0]), max(most, xs[1])
		p.y = linear(panel.Y, min(panel.Min, ys[0]), max(panel.Max, ys[1]), 5, panel.Most)
		panes[i] = p
	}
	axis := axis{min: 0, max: 1}
	if least <= most {
		axis.min, axis.max = least-0.5, most+0.5
	}
	for _, at := range Ticks(axis.min, axis.max, 16, 1) {
		if at >= axis.min && at <= axis.max {
			axis.ticks = append(axis.ticks, tick{at, Number(at)})
		}
	}
	for i := range panes {
		panes[i].x = axis
	}
	if len(panes) > 0 {
		panes[len(panes)-1].x.name = x
	}
	return column(title, 190, panes...), nil
}
