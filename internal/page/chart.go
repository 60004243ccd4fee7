package page

import (
	"math"
	"strings"
	"unicode/utf8"

	"nmu/internal/render"
)

// chart is a line plot, in the units of the template chart.
type chart struct {
	Label          string // what is seen, in words
	XTitle, YTitle string
	Width, Height  int
	Left, Bottom   int // of the axes
	Right          int
	XTicks, YTicks []tick
	Lines          []line

	curves []curve // of the lines
}

type tick struct {
	At   string
	Text string
}

// line is a line of a chart.
type line struct {
	Name, Class string
	Path        string
	Points      []point // if they are few
}

type point struct{ X, Y, Text string }

// curve is the data of a line. Where y is NaN, the line has a gap.
type curve struct {
	name, class string
	x, y        []float64
}

// fewPoints is the largest number of points that a line marks.
const fewPoints = 60

// newChart draws curves over one axis that begins at 0. text formats the numbers of y.
func newChart(label, xTitle, yTitle string, text func(float64) string, curves ...curve) *chart {
	const top = 14
	c := &chart{Label: label, XTitle: xTitle, YTitle: yTitle, Width: 480, Height: 250, Left: 50, Bottom: 206, Right: 470}
	lo, hi, most := math.Inf(1), math.Inf(-1), 0.0
	least := 1.0 // between two ticks, where all is counted in whole numbers
	for _, k := range curves {
		for i, x := range k.x {
			lo, hi = min(lo, x), max(hi, x)
			if x != math.Floor(x) {
				least = 0
			}
			if y := k.y[i]; !math.IsInf(y, 0) && !math.IsNaN(y) {
				most = max(most, y)
			}
		}
	}
	if !(hi > lo) {
		lo, hi = lo-1, lo+1
	}
	if !(most > 0) {
		most = 1
	}
	ticks := render.Ticks(0, most, 5, 0)
	most = max(most, ticks[len(ticks)-1])
	xAt := func(v float64) float64 { return float64(c.Left) + float64(c.Right-c.Left)*((v-lo)/(hi-lo)) }
	yAt := func(v float64) float64 { return float64(c.Bottom) + float64(top-c.Bottom)*(v/most) }
	x := func(v float64) string { return render.Coordinate(xAt(v)) }
	y := func(v float64) string { return render.Coordinate(yAt(v)) }
	for _, v := range ticks {
		const letter = 7 // the width of a letter
		c.YTicks = append(c.YTicks, tick{y(v), text(v)})
		c.Left = max(c.Left, letter*utf8.RuneCountInString(text(v)))
	}
	for _, v := range render.Ticks(lo, hi, 6, least) {
		if v >= lo && v <= hi {
			c.XTicks = append(c.XTicks, tick{x(v), render.Number(v)})
		}
	}
	c.curves = curves
	for _, k := range curves {
		l := line{Name: k.name, Class: k.class}
		var b strings.Builder
		for i := range k.x {
			if math.IsNaN(k.y[i]) {
				continue
			}
			b.WriteString(render.Step(i == 0 || math.IsNaN(k.y[i-1]), xAt(k.x[i]), yAt(k.y[i])))
			if len(k.x) <= fewPoints {
				l.Points = append(l.Points, point{x(k.x[i]), y(k.y[i]), render.Number(k.x[i]) + ": " + text(k.y[i])})
			}
		}
		l.Path = b.String()
		c.Lines = append(c.Lines, l)
	}
	return c
}

// spark returns the path of a curve in a box of 240 x 80, with the area below it. The value
// most is at the top. What is left out or missing is a gap.
func (s side) spark(index []int, y func(i int) float64, most float64) string {
	if len(index) == 0 {
		return ""
	}
	const width, height = 240, 80
	lo, hi := s.scale.Ends()
	var b strings.Builder
	begin := true
	for _, i := range index {
		if s.without(i) || math.IsNaN(y(i)) {
			begin = true
			continue
		}
		x := (s.scale.At[i] - lo) / (hi - lo) * width
		b.WriteString(render.Step(begin, x, height*(1-part(y(i), most))))
		begin = false
	}
	return b.String()
}
