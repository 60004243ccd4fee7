package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// endAtTicks widens a plain axis to whole steps of 1, 2 or 5 times a power of ten, and labels
// every step, both ends included. At most n + 1 steps cover the axis. With a positive most the
// axis ends no later than the first step at or after most.
func endAtTicks(a *plot.Axis, n int, most float64) {
	if a.Min == a.Max {
		a.Min, a.Max = a.Min-1, a.Max+1
	}
	step := roundUp((a.Max - a.Min) / float64(n))
	first, last := math.Floor(a.Min/step), math.Ceil(a.Max/step-1e-9)
	if most > 0 && last*step > most {
		last = math.Ceil(most/step - 1e-9)
	}
	var ticks plot.ConstantTicks
	for i := first; i <= last; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: Number(i * step)})
	}
	a.Min, a.Max = first*step, last*step
	a.Tick.Marker = ticks
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is at least x > 0.
func roundUp(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, s := range []float64{1, 2, 5} {
		if s*unit >= x {
			return s * unit
		}
	}
	return 10 * unit
}

// mostDecades is the largest number of labelled powers of ten on an axis, without the first.
const mostDecades = 7

// endAtLogTicks widens a logarithmic axis to labelled ticks: powers of ten if it covers more
// than two of them, else 1, 2 or 5 times a power of ten. Among many powers of ten it labels
// every second, third or later one, both ends included.
func endAtLogTicks(a *plot.Axis) {
	labelled, each := []float64{1, 2, 5}, 1.0
	first, last := math.Floor(math.Log10(a.Min)), math.Ceil(math.Log10(a.Max))
	if math.Log10(a.Max/a.Min) > 2 {
		labelled = labelled[:1]
		each = math.Ceil((last - first) / mostDecades)
		last = first + each*math.Ceil((last-first)/each)
	}
	least, most := math.Inf(-1), math.Inf(1)
	for e := first; e <= last; e += each {
		for _, d := range labelled {
			if x := d * math.Pow(10, e); x <= a.Min {
				least = x
			} else if x >= a.Max {
				most = min(most, x)
			}
		}
	}
	if math.IsInf(least, 0) {
		least = math.Pow(10, first)
	}
	if math.IsInf(most, 0) {
		most = math.Pow(10, last)
	}
	a.Min, a.Max = least, most
	a.Scale = plot.LogScale{}
	var ticks plot.ConstantTicks
	for e := first - 1; e <= last+1; e++ {
		for d := 1.0; d < 10; d++ {
			t := plot.Tick{Value: d * math.Pow(10, e)}
			if slices.Contains(labelled, d) && math.Mod(e-first, each) == 0 {
				t.Label = logNumber(t.Value)
			}
			if least <= t.Value && t.Value <= most && (each == 1 || d == 1) {
				ticks = append(ticks, t)
			}
		}
	}
	a.Tick.Marker = ticks
}

// logNumber writes 1, 2 or 5 times a power of ten.
func logNumber(x float64) string {
	if text := Number(x); !strings.Contains(text, "e") {
		return text
	}
	return fmt.Sprintf("%.0e", x)
}

// beside is the distance of a legend from its plot.
const beside = 8

// legendWidth returns the width that the legends need at the right of their plots.
func legendWidth(plots ...*plot.Plot) vg.Length {
	var width vg.Length
	for _, p := range plots {
		width = max(width, p.Legend.Rectangle(draw.Canvas{}).Size().X)
	}
	return width + beside
}

// drawBeside draws a plot with its legend at the right of the canvas, where it covers no line.
func drawBeside(p *plot.Plot, c draw.Canvas) {
	p.Legend.Left = true
	p.Legend.XOffs = c.Max.X - p.DataCanvas(c).Min.X + beside
	p.Draw(c)
}
