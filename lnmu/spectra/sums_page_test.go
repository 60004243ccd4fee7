package spectra_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/spectra"
)

// scene returns a scene of three smooth spectra, and the abundances of its pixels, three of which are pure. The light
// of a pixel is between dark and 1.
func scene(dark float64) (m, spectra, abundances lnmu.Dense[float64]) {
	const bands, pixels = 30, 196
	rng := rand.New(rand.NewPCG(4, 4))
	spectra, abundances, m = lnmu.NewDense[float64](bands, 3, nil), lnmu.NewDense[float64](3, pixels, nil), lnmu.NewDense[float64](bands, pixels, nil)
	for i := range bands {
		x := float64(i) / (bands - 1)
		copy(spectra.Row(i), []float64{
			0.1 + 0.8/(1+math.Exp(-18*(x-0.6))),
			0.15 + 0.35*x + 0.1*math.Exp(-math.Pow((x-0.3)/0.12, 2)),
			0.05 + 0.12*math.Exp(-math.Pow((x-0.25)/0.15, 2)),
		})
	}
	for j := range pixels {
		a, light := []float64{math.Pow(rng.ExpFloat64(), 3), math.Pow(rng.ExpFloat64(), 3), math.Pow(rng.ExpFloat64(), 3)}, dark+(1-dark)*rng.Float64()
		if j < 3 {
			clear(a)
			a[j], light = 1, 1
		}
		for k := range a {
			abundances.Row(k)[j] = a[k] / (a[0] + a[1] + a[2])
		}
		for i := range bands {
			for k := range a {
				m.Row(i)[j] += light * spectra.At(i, k) * abundances.At(k, j)
			}
			m.Row(i)[j] = max(0, m.At(i, j)+0.004*rng.NormFloat64())
		}
	}
	return m, spectra, abundances
}

// wrong returns the root mean square error of the abundances that a run finds, the weights of a pixel divided by
// their sum. A note says where sums of one look wrong.
func wrong(t *testing.T, dark float64, sums bool) float64 {
	m, library, want := scene(dark)
	res := must.Get(lnmu.Factor(t.Context(), m, 3, lnmu.NMF{SumToOneW: sums}, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSNPA}, Limits: lnmu.Limits{Iterations: 5}}))(t)
	if noted := slices.ContainsFunc(res.Notes, func(text string) bool { return strings.Contains(text, "sums of one look wrong") }); noted != (sums && dark < 1) {
		t.Errorf("sums of one: %t, with a light of %v to 1: notes %q", sums, dark, res.Notes)
	}
	angles := must.Get(spectra.Angles(res.V, library))(t)
	squares := 0.0
	for l := range 3 {
		part := 0
		for k := range 3 {
			if angles.At(k, l) < angles.At(part, l) {
				part = k
			}
		}
		for j := range m.Cols {
			d := res.W.At(part, j)/(res.W.At(0, j)+res.W.At(1, j)+res.W.At(2, j)) - want.At(l, j)
			squares += d * d
		}
	}
	return math.Sqrt(squares / float64(3*m.Cols))
}

// TestSumsPage: the errors of abundances are those that docs/spectra.md states.
func TestSumsPage(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/spectra.md"))(t)
	for _, c := range []struct {
		light string // of the page
		dark  float64
	}{{"1", 1}, {"0.9 to 1", 0.9}, {"0.7 to 1", 0.7}, {"0.3 to 1", 0.3}} {
		row := fmt.Sprintf("| %s | %.2f | %.2f |", c.light, wrong(t, c.dark, true), wrong(t, c.dark, false))
		must.Say(t, string(page), "\n"+row+"\n", row)
	}
}
