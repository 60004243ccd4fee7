package render

import (
	"bytes"
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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

// colors can be told apart by the colour-blind, and in grey (Okabe and Ito).
var colors = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0xf0, 0xe4, 0x42, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

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

// Bars draws a row of bars for each label, the first at the top, with one colour for each
// series. It returns a complete SVG document. axis names the values, which must be nonnegative.
// A value that is not finite is an error.
func Bars(title, axis string, list []Bar) ([]byte, error) {
	labels := distinct(list, func(b Bar) string { return b.Label })
	series := distinct(list, func(b Bar) string { return b.Series })
	slices.Reverse(labels) // the axis points upwards

	const thick, gap = vg.Length(9), vg.Length(9)
	p := newPlot(title)
	p.X.Label.Text = axis
	p.X.Min = 0
	for s, name := range series {
		at := make(plotter.Values, len(labels))
		var numbers plotter.XYLabels
		for _, b := range list {
			if b.Series == name {
				i := slices.Index(labels, b.Label)
				at[i] = b.Value
				numbers.XYs = append(numbers.XYs, plotter.XY{X: b.Value, Y: float64(i)})
				numbers.Labels = append(numbers.Labels, " "+Number(b.Value))
			}
		}
		offset := thick * (vg.Length(len(series)-1)/2 - vg.Length(s))
		bars, err := plotter.NewBarChart(at, thick)
		if err != nil {
			return nil, err
		}
		bars.Horizontal = true
		bars.Color = colors[s%len(colors)]
		bars.LineStyle.Width = 0
		bars.Offset = offset
		text, err := plotter.NewLabels(numbers)
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
	p.X.Max *= 1.1 // room for the numbers
	endAtTicks(&p.X, 6, 0)
	for i := range labels {
		labels[i] = roomy(labels[i])
	}
	p.NominalY(labels...)
	height := 70 + vg.Length(len(labels))*(gap+thick*vg.Length(len(series)))
	return svg(p, 500, max(height, 70+12*vg.Length(len(series))))
}

// roomy returns a text with spaces behind it, because the reader's font may be wider than the
// measured one.
func roomy(text string) string { return text + strings.Repeat(" ", 2+len(text)/4) }

// Lines draws the points of each line, joined from left to right, and returns a complete SVG
// document. The axes, named x and y, are logarithmic if all numbers are positive. A number that
// is not finite is an error.
func Lines(title, x, y string, points []Point) ([]byte, error) {
	p := newPlot(title)
	p.X.Label.Text = x
	p.Y.Label.Text = y
	positive := !slices.ContainsFunc(points, func(at Point) bool { return !(at.X > 0 && at.Y > 0) })
	if err := addLines(p, points, true); err != nil {
		return nil, err
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		if positive {
			endAtLogTicks(a)
		} else {
			endAtTicks(a, 6, 0)
		}
	}
	return svg(p, 500, 400)
}

// Curves draws the points of each line, joined from left to right, without marks and over
// linear axes. It returns a complete SVG document. x and y name the axes. A number that is not
// finite is an error.
func Curves(title, x, y string, points []Point) ([]byte, error) {
	p := newPlot(title)
	p.X.Label.Text = x
	p.Y.Label.Text = y
	if err := addLines(p, points, false); err != nil {
		return nil, err
	}
	endAtTicks(&p.X, 8, 0)
	endAtTicks(&p.Y, 4, 0)
	return svg(p, 500, 300)
}

// addLines adds a line for each name to a plot, with a mark for each point if marks.
func addLines(p *plot.Plot, points []Point, marks bool) error {
	for s, name := range distinct(points, func(at Point) string { return at.Line }) {
		var xys plotter.XYs
		for _, at := range points {
			if at.Line == name {
				xys = append(xys, plotter.XY{X: at.X, Y: at.Y})
			}
		}
		slices.SortStableFunc(xys, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		l, dots, err := plotter.NewLinePoints(xys)
		if err != nil {
			return err
		}
		l.Color = colors[s%len(colors)]
		l.Width = 1.5
		dots.Color = l.Color
		dots.Shape = draw.CircleGlyph{}
		if marks {
			p.Add(l, dots)
			p.Legend.Add(roomy(name), l, dots)
		} else {
			p.Add(l)
			p.Legend.Add(roomy(name), l)
		}
	}
	return nil
}

// newPlot returns an empty plot in a sans-serif font.
func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Legend.Top = true
	p.Legend.Padding = 3
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

// svg draws p with a margin, and with its legend at the right, as an SVG document.
func svg(p *plot.Plot, width, height vg.Length) ([]byte, error) {
	legend := legendWidth(p)
	c := vgsvg.NewWith(vgsvg.UseWH(width+legend, height))
	drawBeside(p, draw.Crop(draw.New(c), 6, -18-legend, 6, -6))
	return document(c)
}

// paper is the background of a drawing.
const paper = `<rect width="100%" height="100%" style="fill:#FFFFFF" />` + "\n"

// document returns the drawing as an SVG document.
func document(c *vgsvg.Canvas) ([]byte, error) {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// Fonts of the same widths, for readers without the one measured here.
	const family = "font-family:Liberation Sans"
	text := bytes.ReplaceAll(b.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif"))
	// Paper below all, as the legend is beside the plot, and a viewer may be dark.
	return bytes.Replace(text, []byte("<g "), []byte(paper+"<g "), 1), nil
}
