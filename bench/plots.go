package bench

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plot is a picture of one group of measurements.
type Plot struct {
	Group string // of the measurements
	SVG   []byte // a complete SVG document
}

// colors can be told apart by the colour-blind, and in grey (Okabe and Ito).
var colors = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0xf0, 0xe4, 0x42, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

// Plots draws every group: medians as lines over a size where the measurements
// have one; else bars, of shares of the limit where all have a limit, or medians.
func (r *Report) Plots() ([]Plot, error) {
	var plots []Plot
	for _, g := range groups(r.all()) {
		draw := drawBars
		if !slices.ContainsFunc(g, func(m Measurement) bool { return m.XName == "" }) {
			draw = drawLines
		}
		svg, err := draw(g)
		if err != nil {
			return nil, fmt.Errorf("bench: plot of %s: %w", g[0].Group, err)
		}
		plots = append(plots, Plot{g[0].Group, svg})
	}
	return plots, nil
}

// barred returns what the bars of the group show, and their axis.
func barred(g []Measurement) (value func(Measurement) float64, axis string) {
	if slices.ContainsFunc(g, func(m Measurement) bool { return m.Limit == 0 }) {
		return func(m Measurement) float64 { return m.Median }, g[0].Unit
	}
	return func(m Measurement) float64 { return 100 * m.Ratio }, "% of the limit"
}

// distinct lists the values of a field in order of first appearance.
func distinct(g []Measurement, field func(Measurement) string) []string {
	var list []string
	for _, m := range g {
		if f := field(m); !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// drawBars draws one row of bars per case, one colour per series.
func drawBars(g []Measurement) ([]byte, error) {
	cases := distinct(g, func(m Measurement) string { return m.label() })
	series := distinct(g, func(m Measurement) string { return m.Series })
	slices.Reverse(cases) // the axis points upwards
	value, axis := barred(g)

	const bar, gap = vg.Length(9), vg.Length(9)
	p := newPlot(g[0].Group)
	p.X.Label.Text = axis
	p.X.Min = 0
	for s, name := range series {
		at := make(plotter.Values, len(cases))
		var labels plotter.XYLabels
		for _, m := range g {
			if m.Series == name {
				i := slices.Index(cases, m.label())
				at[i] = value(m)
				labels.XYs = append(labels.XYs, plotter.XY{X: at[i], Y: float64(i)})
				labels.Labels = append(labels.Labels, " "+number(at[i]))
			}
		}
		offset := bar * (vg.Length(len(series)-1)/2 - vg.Length(s))
		bars, err := plotter.NewBarChart(at, bar)
		if err != nil {
			return nil, err
		}
		bars.Horizontal = true
		bars.Color = colors[s%len(colors)]
		bars.LineStyle.Width = 0
		bars.Offset = offset
		text, err := plotter.NewLabels(labels)
		if err != nil {
			return nil, err
		}
		for i := range text.TextStyle {
			text.TextStyle[i].Font.Variant = "Sans"
			text.TextStyle[i].Font.Size = 7
			text.TextStyle[i].YAlign = draw.YCenter
		}
		text.Offset.Y = offset
		p.Add(bars, text)
		p.Legend.Add(roomy(name), bars)
	}
	p.X.Max *= 1.3 // room for the labels and the legend
	for i := range cases {
		cases[i] = roomy(cases[i])
	}
	p.NominalY(cases...)
	height := 70 + vg.Length(len(cases))*(gap+bar*vg.Length(len(series)))
	return svg(p, 600, max(height, 70+12*vg.Length(len(series))))
}

// roomy returns a text with room behind it: the reader's font may be wider than
// the one measured here.
func roomy(text string) string { return text + strings.Repeat(" ", 2+len(text)/4) }

// drawLines draws one line per case and series over the size, on logarithmic
// axes where the values allow them.
func drawLines(g []Measurement) ([]byte, error) {
	line := func(m Measurement) string { return m.Case + " " + m.Series }
	p := newPlot(g[0].Group)
	p.X.Label.Text = g[0].XName
	p.Y.Label.Text = g[0].Unit
	p.Legend.Left = true
	p.Legend.XOffs = 6
	positive := !slices.ContainsFunc(g, func(m Measurement) bool { return !(m.X > 0 && m.Median > 0) })
	if positive {
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(logTicks), plot.TickerFunc(logTicks)
	}
	for s, name := range distinct(g, line) {
		var xys plotter.XYs
		for _, m := range g {
			if line(m) == name {
				xys = append(xys, plotter.XY{X: m.X, Y: m.Median})
			}
		}
		slices.SortStableFunc(xys, func(a, b plotter.XY) int {
			switch {
			case a.X < b.X:
				return -1
			case a.X > b.X:
				return 1
			}
			return 0
		})
		l, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		l.Color = colors[s%len(colors)]
		l.Width = 1.5
		points.Color = l.Color
		points.Shape = draw.CircleGlyph{}
		p.Add(l, points)
		p.Legend.Add(name, l, points)
	}
	if positive { // a single size still needs an axis of some length
		for _, a := range []*plot.Axis{&p.X, &p.Y} {
			if a.Min == a.Max {
				a.Min, a.Max = a.Min/2, a.Max*2
			}
		}
	}
	return svg(p, 600, 400)
}

// newPlot returns an empty plot in a sans-serif font.
func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Legend.Top = true
	p.Legend.XOffs = -6
	p.Legend.ThumbnailWidth = 12
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.Legend.TextStyle.Font,
		&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		f.Variant = "Sans"
		f.Size = 9
	}
	p.Title.TextStyle.Font.Size = 12
	return p
}

// logTicks labels 1, 2 and 5 of every decade between min and max.
func logTicks(min, max float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(min)); e <= math.Log10(max); e++ {
		for d := 1.0; d < 10; d++ {
			t := plot.Tick{Value: d * math.Pow(10, e)}
			if d == 1 || d == 2 || d == 5 {
				t.Label = number(t.Value)
			}
			if min <= t.Value && t.Value <= max {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// svg draws p with a margin.
func svg(p *plot.Plot, width, height vg.Length) ([]byte, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	p.Draw(draw.Crop(draw.New(c), 6, -18, 6, -6))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// Fonts of the same widths, for readers without the one measured here.
	const family = "font-family:Liberation Sans"
	return bytes.ReplaceAll(b.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")), nil
}
