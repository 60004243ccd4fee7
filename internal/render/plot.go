package render

import "math"

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
	panes := make([]pane, len(panels))
	least, most := math.Inf(1), math.Inf(-1)
	first := 0
	for i, panel := range panels {
		p := pane{lines: panel.Lines, first: first, dashed: float64(mark)}
		first += len(panel.Lines)
		xs, ys, err := p.ranges()
		if err != nil {
			return nil, err
		}
		least, most = min(least, xs[0]), max(most, xs[1])
		p.y = upright(panel.Y, min(panel.Min, ys[0]), max(panel.Max, ys[1]), panel.Most)
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
	return column(title, panes), nil
}
