package dataset

import (
	"math"
	"testing"
)

// Without noise the cube is the product of its maps and spectra; with it, it differs by
// about the deviation that was asked for, is nonnegative, and has the same factors.
func TestCube(t *testing.T) {
	for seed := range uint64(10) {
		clean, noisy := Cube(seed, 0), Cube(seed, 0.05)
		most := 0.0
		for i := range clean.Rows {
			for j := range clean.Cols {
				sum := 0.0
				for k := range clean.Rank {
					sum += clean.Maps[i*clean.Rank+k] * clean.Spectra[k*clean.Cols+j]
				}
				if got := clean.Data[i*clean.Cols+j]; math.Abs(got-sum) > 1e-12 {
					t.Fatalf("seed %d: entry (%d, %d) is %v, that of the product %v", seed, i, j, got, sum)
				}
				most = max(most, sum)
			}
		}
		if math.Abs(most-1) > 1e-12 {
			t.Errorf("seed %d: the largest entry is %v", seed, most)
		}
		if hash(t, clean.Maps) != hash(t, noisy.Maps) || hash(t, clean.Spectra) != hash(t, noisy.Spectra) {
			t.Errorf("seed %d: the factors depend on the noise", seed)
		}
		var squares float64
		count := 0
		for i, x := range noisy.Data {
			if x < 0 {
				t.Fatalf("seed %d: entry %d is %v", seed, i, x)
			}
			if y := clean.Data[i]; y > 0.3 { // where nothing is cut off
				squares += (x - y) * (x - y)
				count++
			}
		}
		if deviation := math.Sqrt(squares / float64(count)); math.Abs(deviation-0.05) > 0.002 {
			t.Errorf("seed %d: the deviation of %d entries is %v", seed, count, deviation)
		}
		for k := range clean.Rank {
			covered := 0
			for i := range clean.Rows {
				if clean.Maps[i*clean.Rank+k] > 0 {
					covered++
				}
			}
			if covered < clean.Rows/50 {
				t.Errorf("seed %d: material %d covers %d pixels", seed, k, covered)
			}
		}
	}
}
