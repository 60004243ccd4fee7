package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nmu/internal/render"
)

// distanceData is the data of the section on the difference between M and V W.
type distanceData struct {
	Without      string // M is not there
	Whole        bool
	Rows, Cols   int // sampled rows and columns
	AllRows      int
	AllCols      int
	Measured     float64 // relative error of the sample
	Observed     bool    // of its observed entries: others are missing
	Weighted     bool    // the run had weights, which do not count here
	ByRow, ByCol []sideGap
	Heat         *face
	Histogram    *chart
	Ends         render.Facts // the best, the middle and the worst column
}

// sideGap is the difference between M and V W by rows or by columns.
type sideGap struct {
	What  string // row or column
	Cards []card
	Chart *chart
	Bars  []bar
}

// distance makes the section on the difference between M and V W.
func (p *page) distance() any {
	d := p.Distance
	if d == nil {
		return distanceData{Without: p.Without}
	}
	data := distanceData{Rows: len(d.is), Cols: len(d.js), AllRows: d.rows, AllCols: d.cols}
	data.Measured, data.Whole = d.RelativeError()
	data.Observed, data.Weighted = d.gaps, p.Weighted
	if g := gapOf(p.rows, d.is, d.row, len(d.js)); g != nil {
		data.ByRow = append(data.ByRow, *g)
	}
	if p.Map.Known() {
		if g := gapOf(p.cols, d.js, d.col, len(d.is)); g != nil {
			data.ByCol = append(data.ByCol, *g)
		}
	}
	height, width := d.heat.rows, d.heat.cols
	heat := signed(fmt.Sprintf("Heat map of M − V W, %s by %s", render.Plural(height, "row"), render.Plural(width, "column")), d.heat.data, height, width, quantile(d.heat.data, 0.99))
	data.Heat = &heat
	data.Histogram = d.histogram()
	if d.best >= 0 {
		for _, x := range []struct {
			what string
			j    int
		}{{"Least", d.best}, {"In the middle", d.middle}, {"Largest", d.worst}} {
			i, _ := slices.BinarySearch(d.js, x.j)
			data.Ends.Add(x.what, "%s (%s)", percent(d.col[i].relative()), p.cols.name(x.j))
		}
	}
	return data
}

// gapOf draws the gaps of a side. index lists the sampled rows or columns, and entries is the
// number of sampled entries in each.
func gapOf(s side, index []int, gaps []gap, entries int) *sideGap {
	g := sideGap{What: s.what}
	all := 0.0
	for _, x := range gaps {
		all += x.all
	}
	mean := math.Sqrt(all / float64(entries) / float64(len(gaps))) // of an entry of M
	if mean == 0 {
		return nil
	}
	left := make([]float64, len(gaps))
	over := make([]float64, len(gaps))
	for i, x := range gaps {
		left[i] = math.Sqrt(x.left/float64(entries)) / mean
		over[i] = math.Sqrt(x.over/float64(entries)) / mean
	}
	halves := []struct {
		where, class string
		data         []float64
		sign         float64
	}{{"below", "a", left, 1}, {"above", "b", over, -1}}
	switch {
	case s.pixels.Known() && len(index) < s.n:
		return nil // not all of the picture is known
	case s.pixels.Known():
		above := max(largest(left), largest(over))
		for _, x := range halves {
			data, height, width := s.pixels.reduce(func(i int) float64 { return x.sign * x.data[i] }, mostPixels)
			g.Cards = append(g.Cards, card{Says: "V W " + x.where + " M: up to " + percent(largest(x.data)), Face: signed("Map of where V W is "+x.where+" M", data, height, width, above)})
		}
	case s.curves():
		var curves []curve
		for _, x := range halves {
			k := curve{name: "V W " + x.where + " M", class: x.class}
			for _, n := range render.Thin(len(index), mostPoints, func(n int) float64 { return x.data[n] }) {
				y := x.data[n]
				if s.without(index[n]) {
					y = math.NaN()
				}
				k.add(s.scale.At[index[n]], y)
			}
			curves = append(curves, k)
		}
		label := fmt.Sprintf("Two lines over the %ss of M: by how much V W is below M, at most %s, and above, at most %s.",
			s.what, percent(largest(left)), percent(largest(over)))
		g.Chart = newChart(label, s.scale.Name, "of a mean entry of M", short, curves...)
		if s.scale.Times {
			lo, hi := s.scale.Ends()
			g.Chart.XTicks = []tick{{fmt.Sprint(g.Chart.Left), s.scale.Text(lo)}, {fmt.Sprint(g.Chart.Right), s.scale.Text(hi)}}
		}
	default:
		sum := 0.0
		for _, x := range gaps {
			sum += x.left + x.over
		}
		if sum == 0 {
			return nil
		}
		share := func(i int) float64 { return (gaps[i].left + gaps[i].over) / sum }
		g.Bars = barsOf(len(gaps), share, mostBars, 0, func(i int) string { return s.name(index[i]) })
	}
	return &g
}

// histogram counts the columns by relative error.
func (d *Distance) histogram() *chart {
	const bins = 40
	var errors []float64
	for _, g := range d.col {
		if g.all > 0 {
			errors = append(errors, g.relative())
		}
	}
	if len(errors) < 10 {
		return nil
	}
	slices.SortFunc(errors, cmp.Compare[float64])
	above := errors[len(errors)-1]
	if above == 0 {
		return nil
	}
	counts := make([]float64, bins)
	for _, e := range errors {
		counts[min(bins-1, int(bins*e/above))]++
	}
	c := curve{name: "columns", class: "area"}
	c.add(0, 0)
	for i, n := range counts {
		c.add(100*above*float64(i)/bins, n)
		c.add(100*above*float64(i+1)/bins, n)
	}
	c.add(100*above, 0)
	label := fmt.Sprintf("Histogram of the relative errors of %s, from %s to %s, half of them below %s.",
		render.Plural(len(errors), "column"), percent(errors[0]), percent(above), percent(errors[len(errors)/2]))
	return newChart(label, "relative error of a column, in percent", "columns", render.Number, c)
}
