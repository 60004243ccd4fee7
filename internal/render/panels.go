package render

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Panel is one of several plots in a column with a common horizontal axis.
type Panel struct {
	Y        string  // the name of its own axis
	Min, Max float64 // the axis covers at least this range
	Most     float64 // if positive, the axis ends here at the latest
	Lines    []Line
}

// Line is a sequence of points, joined in order.
type Line struct {
	Name   string
	Points []Spread
}

// Spread is a point with an error bar of half-length Error, if that is positive.
type Spread struct{ X, Y, Error float64 }

// Panels draws the panels in a column and returns a complete SVG document. x names their
// horizontal axis of whole numbers. Points above Most are not drawn. A dashed line marks the
// place mark on the axis, unless mark is 0. A number that is not finite is an error.
func Panels(title, x string, panels []Panel, mark int) ([]byte, error) {
	plots := make([][]*plot.Plot, len(panels))
	var legend vg.Length
	least, most := math.Inf(1), math.Inf(-1)
	for _, panel := range panels {
		for _, l := range panel.Lines {
			for _, at := range l.Points {
				least, most = min(least, at.X), max(most, at.X)
			}
		}
	}
	for i, panel := range panels {
		p := newPlot("")
		if i == 0 {
			p.Title.Text = title
		}
		if i == len(panels)-1 {
			p.X.Label.Text = x
		}
		p.Y.Label.Text = panel.Y
		p.Y.Min, p.Y.Max = panel.Min, panel.Max
		colour := 0
		for _, before := range panels[:i] {
			colour += len(before.Lines)
		}
		for _, l := range panel.Lines {
			if err := addLine(p, l, colour%len(colors)); err != nil {
				return nil, err
			}
			colour++
		}
		endAtTicks(&p.Y, 5, panel.Most)
		if least <= most {
			p.X.Min, p.X.Max = least-0.5, most+0.5
		}
		if mark != 0 {
			at := float64(mark)
			l, err := plotter.NewLine(plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}})
			if err != nil {
				return nil, err
			}
			l.Dashes = []vg.Length{4, 3}
			l.Width = 0.75
			p.Add(l)
		}
		p.X.Tick.Marker = plot.TickerFunc(wholeTicks)
		plots[i] = []*plot.Plot{p}
		legend = max(legend, legendWidth(p))
	}
	c := vgsvg.NewWith(vgsvg.UseWH(500+legend, vg.Length(90+210*len(panels))))
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: 12}
	for i, at := range plot.Align(plots, tiles, draw.Crop(draw.New(c), 6, -18-legend, 6, -6)) {
		drawBeside(plots[i][0], at[0])
	}
	return document(c)
}

// addLine draws a line with its points and error bars.
func addLine(p *plot.Plot, line Line, colour int) error {
	if len(line.Points) == 0 {
		return nil
	}
	xys := make(plotter.XYs, len(line.Points))
	errs := make(plotter.YErrors, len(line.Points))
	for i, at := range line.Points {
		xys[i] = plotter.XY{X: at.X, Y: at.Y}
		errs[i].Low, errs[i].High = at.Error, at.Error
	}
	l, dots, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	bars, err := plotter.NewYErrorBars(struct {
		plotter.XYer
		plotter.YErrorer
	}{xys, errs})
	if err != nil {
		return err
	}
	l.Color, dots.Color, bars.Color = colors[colour], colors[colour], colors[colour]
	l.Width = 1.5
	dots.Shape = draw.CircleGlyph{}
	p.Add(l, dots)
	for _, at := range line.Points {
		if at.Error > 0 {
			p.Add(bars)
			break
		}
	}
	p.Legend.Add(roomy(line.Name), l, dots)
	return nil
}

// wholeTicks labels some ten whole numbers between min and max.
func wholeTicks(min, max float64) []plot.Tick {
	step := math.Max(1, math.Ceil((max-min)/16))
	var ticks []plot.Tick
	for x := math.Ceil(min/step) * step; x <= max; x += step {
		ticks = append(ticks, plot.Tick{Value: x, Label: Number(x)})
	}
	return ticks
}
