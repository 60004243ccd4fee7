package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nmu/lnmu"
)

// Library is a library of spectra for comparison with the columns of V.
type Library struct {
	File   string              // where it is from
	Names  []string            // of the spectra; nil if there are none
	Angles lnmu.Dense[float64] // between each part, a row, and each spectrum, in radians: see package spectra

	Spectra Factor // a row for each row of V, a column for each spectrum
}

// nearestTo returns the spectrum with the smallest angle to a part x over the rows, times the number that brings it
// nearest to x there. It is nil if there is none.
func (l *Library) nearestTo(part int, rows side, x func(i int) float64) func(i int) float64 {
	list := l.Nearest(part)
	if list == nil || l.Spectra == nil {
		return nil
	}
	best := list[0].column
	var along, squares float64
	for i := range rows.n {
		if rows.without(i) {
			continue
		}
		s := l.Spectra.At(i, best)
		along, squares = along+float64(s*x(i)), squares+float64(s*s)
	}
	scale := along / squares
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return nil
	}
	return func(i int) float64 { return scale * l.Spectra.At(i, best) }
}

// mostSpectra is how many of the nearest spectra are listed.
const mostSpectra = 5

// Near is a spectrum near a part.
type Near struct {
	Name    string
	Degrees float64
	column  int
}

// Text returns the angle as text.
func (n Near) Text() string { return fmt.Sprintf("%.2f°", n.Degrees) }

// Nearest returns the spectra with the smallest angles to a part, the nearest first, without spectra of zeros. A part of
// zeros has none.
func (l *Library) Nearest(part int) (all []Near) {
	angles := l.Angles.Row(part)
	for j, angle := range angles {
		if !math.IsNaN(angle) {
			all = append(all, Near{Degrees: angle * 180 / math.Pi, column: j})
		}
	}
	slices.SortStableFunc(all, func(a, b Near) int { return cmp.Compare(angles[a.column], angles[b.column]) })
	all = all[:min(len(all), mostSpectra)]
	for i, x := range all {
		all[i].Name = fmt.Sprintf("spectrum %d", x.column+1)
		if l.Names != nil {
			all[i].Name = l.Names[x.column]
		}
	}
	return all
}

// library makes the section of the spectra near the parts.
func (p *page) library() any {
	l := p.Library
	if l == nil {
		return nil
	}
	type row struct {
		Part    int
		Nearest []Near
	}
	data := struct {
		File string
		Rows []row
	}{File: l.File}
	for k := range l.Angles.Rows {
		data.Rows = append(data.Rows, row{k + 1, l.Nearest(k)})
	}
	return data
}
