package page

import (
	"fmt"
	"slices"
	"strings"

	"nmu/internal/render"
)

// Figure is a drawing of a run for a paper, with the name of its file.
type Figure struct {
	Name string
	SVG  []byte
}

// Figures returns drawings of what the page about a run shows: the parts, their weights and the errors.
func Figures(run Run) ([]Figure, error) {
	p, err := newPage(run)
	if err != nil {
		return nil, err
	}
	weights := p.drawn(p.cols, "weights", p.weight)
	if !p.Map.Known() && p.ColNames == nil {
		heat, _ := p.heat()
		weights = render.Images("weights", []render.Image{{URL: string(heat.Picture), Height: 1, Width: 2}}, [2]string{"part 1", fmt.Sprintf("part %d", p.parts)}, [2]string{p.cols.name(0), p.cols.name(p.Cols - 1)})
	}
	list := []Figure{{"parts", p.drawn(p.rows, "parts", p.V.At)}, {"weights", weights}}
	errors := p.errorCharts()
	for name, c := range map[string]*chart{"error-by-rank": errors.Rank, "error-by-iteration": errors.Iteration} {
		if c == nil {
			continue
		}
		panel := render.Panel{Y: headline(c.YTitle) + " (%)"}
		for _, k := range c.curves {
			l := render.Line{Name: k.name}
			for i, x := range k.x {
				l.Points = append(l.Points, render.Spread{X: x, Y: 100 * k.y[i]})
			}
			panel.Lines = append(panel.Lines, l)
		}
		svg, err := render.Panels("", headline(c.XTitle), []render.Panel{panel}, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, Figure{name, svg})
	}
	slices.SortFunc(list, func(a, b Figure) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// drawn draws the parts or their weights over a side: as pictures, curves, bars, or bars of the largest entries.
func (p *page) drawn(s side, label string, at func(i, k int) float64) []byte {
	switch {
	case s.pixels.Known():
		var list []render.Image
		for k := range p.parts {
			x := func(i int) float64 { return at(i, k) }
			f := s.face(label, x, most(s.n, x), p.pixels())
			list = append(list, render.Image{Name: fmt.Sprint(k + 1), URL: string(f.Picture), Height: f.Height, Width: f.Width})
		}
		down, across := s.ends()
		return render.Images(label, list, down, across)
	case s.curves() || s.names != nil && s.n <= mostProfiled:
		return p.profiles(s, label, at)
	}
	var list []render.Bars
	for k := range p.parts {
		one := render.Bars{Name: fmt.Sprintf("part %d", k+1)}
		for _, b := range barsOf(s.n, func(i int) float64 { return at(i, k) }, mostNames, 0, s.name) {
			one.Names, one.Values = append(one.Names, b.Name), append(one.Values, b.Value)
		}
		list = append(list, one)
	}
	return render.Lists(label, list)
}
