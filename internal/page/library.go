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

// order returns the spectra by their angles to a part, the nearest first, without spectra of zeros. A part of zeros has
// none.
func (l *Library) order(part int) (list []int) {
	angles := l.Angles.Row(part)
	for j, angle := range angles {
		if !math.IsNaN(angle) {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(angles[a], angles[b]) })
	return list
}

// nearestTo returns the spectrum with the smallest angle to a part x over the rows, times the number that brings it
// nearest to x there. It is nil if there is none.
func (l *Library) nearestTo(part int, rows side, x func(i int) float64) func(i int) float64 {
	list := l.order(part)
	if list == nil || l.Spectra == nil {
		return nil
	}
	best := list[0]
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
	Text    string
}

// Nearest returns the mostSpectra first spectra of order.
func (l *Library) Nearest(part int) (all []Near) {
	list := l.order(part)
	for _, j := range list[:min(len(list), mostSpectra)] {
		name := fmt.Sprintf("spectrum %d", j+1)
		if l.Names != nil {
			name = l.Names[j]
		}
		degrees := l.Angles.At(part, j) * 180 / math.Pi
		all = append(all, Near{name, degrees, fmt.Sprintf("%.2f°", degrees)})
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
