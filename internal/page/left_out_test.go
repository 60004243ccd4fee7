package page

import (
	"math"
	"strings"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// Rows that are left out are gaps of curves, and count neither as zeros nor in the scale of a known
// spectrum. Missing entries of M are gaps, too.
func TestLeftRows(t *testing.T) {
	const bands, pixels = 12, 5
	m := random(bands, pixels, 1, 1)
	for i := range bands {
		for j := range pixels {
			m.Row(i)[j]++
		}
	}
	run := factored(t, m, 1, lnmu.NMF{})
	run.LeftRows = make([]bool, bands)
	run.RowNames = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}
	v := lnmu.NewDense[float64](bands, 1, nil)
	known := lnmu.NewDense[float64](bands, 1, nil)
	seen := lnmu.NewMask(bands, pixels)
	for i := range bands {
		v.Data[i] = run.V.At(i, 0)
		known.Data[i] = v.Data[i] / 4
		if run.LeftRows[i] = i == 4 || i == 5; run.LeftRows[i] {
			v.Data[i], known.Data[i] = 0, 100
			for j := range pixels {
				seen.Set(i, j, false)
			}
		}
	}
	seen.Set(9, 2, false)
	w := lnmu.NewDense[float64](1, pixels, nil)
	for j := range pixels {
		w.Data[j] = run.W.At(0, j)
	}
	run.V = FactorOf(v)
	run.Distance = Look(m, seen, v, w, 2)
	run.Weighted = true
	run.Library = &Library{File: "known.sli", Angles: lnmu.NewDense[float64](1, 1, nil), Spectra: FactorOf(known)}
	p := &page{Run: run, rows: newSide(bands, "row", Pixels{}, run.RowNames, run.LeftRows), cols: newSide(pixels, "column", Pixels{}, nil, nil), parts: 1}

	f := p.partFace(0)
	for what, path := range map[string]string{"part": f.Path, "known spectrum": f.Behind} {
		if strings.Count(path, "M") != 2 || strings.Count(path, "M")+strings.Count(path, "L") != bands-2 {
			t.Errorf("the curve of the %s has not one gap of two bands: %s", what, path)
		}
	}
	scaled := run.Library.nearestTo(0, p.rows, func(i int) float64 { return v.Data[i] })
	for i := range bands {
		if want := v.Data[i]; !run.LeftRows[i] && math.Abs(scaled(i)-want) > 1e-12 {
			t.Errorf("band %d of the known spectrum is %v, want %v", i+1, scaled(i), want)
		}
	}
	text := written(t, run)
	if want := "Measured over all observed entries of M, without the weights, the relative error"; !strings.Contains(text, want) {
		t.Errorf("the page lacks %q", want)
	}
	if x := largest([]float64{math.NaN(), 2, math.NaN(), 1}); x != 2 {
		t.Errorf("the largest of 2 and 1 is %v", x)
	}
	gap := p.rows.spark([]int{0, 1, 2, 3}, func(i int) float64 { return []float64{1, math.NaN(), 1, 1}[i] }, 1)
	if strings.Count(gap, "M") != 2 {
		t.Errorf("a missing entry is no gap: %s", gap)
	}
	if z := p.rows.kept(func(i int) float64 { return v.Data[i] }); z.Rows != bands-2 || outcome.RowSparsity(z.Transposed()).Zeros != 0 {
		t.Errorf("%d rows are kept, of which %v are zero", z.Rows, outcome.RowSparsity(z.Transposed()).Zeros)
	}
}
