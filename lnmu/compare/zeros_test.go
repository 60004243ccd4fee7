package compare

import (
	"context"
	"math"
	"testing"

	"nmu/lnmu"
)

// A row without counts has the exact limit of a Poisson distribution for no event, also in a sparse matrix,
// and only the observed entries count.
func TestIntervalsOfARowWithoutCountsEndAtTheExactLimit(t *testing.T) {
	m, _, _ := model{zeros: 0.3, ofV: 8, ofW: 4, total: 80}.draw(12, 20, 2, 1)
	clear(m.Row(5))
	mask := lnmu.NewMask(12, 20)
	mask.Set(5, 3, false)
	for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m), "masked": lnmu.Observed[float64]{Matrix: m, Mask: mask}} {
		for _, level := range []float64{0.8, 0.95} {
			res, err := Stability(context.Background(), x, []int{2}, lnmu.KL{}, &Settings{Runs: 8, Level: level, Resample: Poisson, Iterations: 50})
			if err != nil {
				t.Fatal(err)
			}
			p := res.Points[0]
			for k := range 2 {
				var sum float64
				for j, e := range p.W.Row(k) {
					if name != "masked" || j != 3 {
						sum += e
					}
				}
				if got, want := math.Exp(-p.VHigh.At(5, k)*sum), (1-level)/2; math.Abs(got-want) > 1e-9 && p.V.At(5, k) == 0 {
					t.Errorf("%s, level %v: no count has the probability %v at the end of the interval, want %v", name, level, got, want)
				}
				if p.VLow.At(5, k) != 0 {
					t.Errorf("%s: the interval begins at %v", name, p.VLow.At(5, k))
				}
			}
		}
	}
	starts, err := Stability(context.Background(), m, []int{2}, lnmu.KL{}, &Settings{Runs: 3, Iterations: 50})
	if err != nil || starts.Points[0].VHigh.At(5, 0) > 1e-9 {
		t.Errorf("runs from other starts show nothing of the noise: %v", err)
	}
}
