package render

import (
	"fmt"
	"math"
)

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

// Panels draws the panels in a column and returns a complete SVG document. x names their
// horizontal axis of whole numbers. Points above Most are not drawn. A dashed line marks the
// place mark on the axis, unless mark is 0. A number that is not finite is an error.
func Panels(title, x string, panels []Panel, mark int) ([]byte, error) {
	const height, between = 190, 34
	across, upward := axis{min: math.Inf(1), max: math.Inf(-1)}, make([]axis, len(panels))
	var labels, names []string
	for i, p := range panels {
		lo, hi := p.Min, p.Max
		for _, l := range p.Lines {
			names = append(names, l.Name)
			for _, at := range l.Points {
				below, above := at.Y-at.Error, at.Y+at.Error
				if finite(at.X) != at.X || finite(below) != below || finite(above) != above {
					return nil, fmt.Errorf("a plot of %s: a point at %v, %v to %v is not finite", l.Name, at.X, below, above)
				}
				across.min, across.max = min(across.min, at.X-0.5), max(across.max, at.X+0.5)
				lo, hi = min(lo, below), max(hi, above)
			}
		}
		upward[i] = upright(p.Y, lo, hi, p.Most)
		for _, t := range upward[i].ticks {
			labels = append(labels, t.label)
		}
	}
	if across.min > across.max {
		across = axis{min: 0, max: 1}
	}
	for _, at := range Ticks(across.min, across.max, 16, 1) {
		if at >= across.min && at <= across.max {
			across.ticks = append(across.ticks, tick{at, Number(at)})
		}
	}
	n, first := float64(len(panels)), 0
	d := newDrawing(title, 2*line+widest(labels), 500, n*height+(n-1)*between, names)
	for i, p := range panels {
		if i > 0 {
			d.top = d.bottom + between
		}
		if d.bottom = d.top + height; i == len(panels)-1 {
			across.name = x
		}
		d.panel(p.Lines, &across, &upward[i], first, float64(mark))
		first += len(p.Lines)
	}
	return d.document(), nil
}
