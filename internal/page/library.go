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
}

// mostSpectra is how many of the nearest spectra are listed.
const mostSpectra = 5

// Near is a spectrum near a part.
type Near struct {
	Name    string
	Degrees float64
	Text    string
}

// Nearest returns at most mostSpectra spectra with the smallest angles to a part, the nearest
// first. A part of zeros has none, and spectra of zeros are left out.
func (l *Library) Nearest(part int) []Near {
	var all []Near
	for j, angle := range l.Angles.Row(part) {
		if math.IsNaN(angle) {
			continue
		}
		name := fmt.Sprintf("spectrum %d", j+1)
		if l.Names != nil {
			name = l.Names[j]
		}
		degrees := angle * 180 / math.Pi
		all = append(all, Near{name, degrees, fmt.Sprintf("%.2f°", degrees)})
	}
	slices.SortStableFunc(all, func(a, b Near) int { return cmp.Compare(a.Degrees, b.Degrees) })
	return all[:min(len(all), mostSpectra)]
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
