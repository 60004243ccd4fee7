package report

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"nmu/internal/render"
)

// Plot is a picture of one group of measurements.
type Plot struct {
	Group string // of the measurements
	SVG   []byte // a complete SVG document
}

// Plots draws every group. A group with sizes has lines of medians over the size. Another
// group has bars: shares of the limit if all its measurements have one, otherwise medians.
func (r *Report) Plots() ([]Plot, error) {
	var plots []Plot
	for _, g := range groups(r.all()) {
		svg, err := plotOf(g)
		if err != nil {
			return nil, fmt.Errorf("bench: plot of %s: %w", g[0].Group, err)
		}
		plots = append(plots, Plot{g[0].Group, svg})
	}
	return plots, nil
}

// plotOf draws one group.
func plotOf(g []Measurement) ([]byte, error) {
	if !slices.ContainsFunc(g, func(m Measurement) bool { return m.XName == "" }) {
		var points []render.Point
		for _, m := range g {
			points = append(points, render.Point{Line: m.Case + " " + m.Series, X: m.X, Y: m.Median})
		}
		return render.Lines(heading(g[0].Group), axisOf(g[0].XName), axisOf(g[0].Unit), points)
	}
	value, axis := func(m Measurement) float64 { return 100 * m.Ratio }, "Percent of the limit"
	if slices.ContainsFunc(g, func(m Measurement) bool { return m.Limit == 0 }) {
		value, axis = func(m Measurement) float64 { return m.Median }, axisOf(g[0].Unit)
	}
	if axis == "Percent of the limit" && slices.ContainsFunc(g, func(m Measurement) bool { return m.Ratio > 1 }) {
		axis = "Percent of the estimate from memory bandwidth and arithmetic; caches allow more"
	}
	var bars []render.Bar
	for _, m := range g {
		bars = append(bars, render.Bar{Label: m.Label(), Series: m.Series, Value: value(m)})
	}
	return render.Bars(heading(g[0].Group), axis, bars)
}

// axisNames are the titles of axes whose unit or size is a symbol.
var axisNames = map[string]string{
	"s": "Seconds", "ms": "Milliseconds", "µs": "Microseconds", "x": "Ratio",
	"MB": "Megabytes", "GB/s": "Memory traffic (GB/s)", "GFLOP/s": "Arithmetic (GFLOP/s)",
	"m": "Rows (m)", "n": "Columns (n)", "r": "Rank (r)",
}

// axisOf returns the title of an axis for a unit or for the name of a size.
func axisOf(name string) string {
	if title, ok := axisNames[name]; ok {
		return title
	}
	return heading(name)
}

// heading returns a text that begins with a capital letter.
func heading(text string) string {
	if text == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}
