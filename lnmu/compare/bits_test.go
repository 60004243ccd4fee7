package compare

import (
	"context"
	"math"
	"testing"

	"nmu/lnmu"
)

var ways = []Resample{Starts, Columns, Poisson}

// sparseOf returns the matrix in compressed rows.
func sparseOf(m lnmu.Dense[float64]) lnmu.CSR[float64] {
	s := lnmu.CSR[float64]{Rows: m.Rows, Cols: m.Cols, Ptr: []int{0}}
	for i := range m.Rows {
		for j, x := range m.Row(i) {
			if x != 0 {
				s.Idx, s.Val = append(s.Idx, int32(j)), append(s.Val, x)
			}
		}
		s.Ptr = append(s.Ptr, len(s.Idx))
	}
	return s
}

// A sparse matrix is resampled as the same dense one.
func TestSparse(t *testing.T) {
	m, _, _ := planted(15, 25, 2, 40, 5)
	for _, how := range ways {
		var points [2]StabilityPoint[float64]
		for x, m := range []lnmu.Matrix[float64]{m, sparseOf(m)} {
			res, err := Stability(context.Background(), m, []int{2}, nil, &Settings{Runs: 5, Resample: how, Iterations: 200})
			if err != nil {
				t.Fatal(err)
			}
			points[x] = res.Points[0]
		}
		for i, x := range points[0].VHigh.Data {
			if y := points[1].VHigh.Data[i]; how == Starts && math.Abs(x-y) > 1e-6 {
				t.Errorf("%q: %v of the dense matrix, %v of the sparse one", how, x, y)
			}
		}
		if a, b := points[0].Error, points[1].Error; math.Abs(a-b) > 0.02*a {
			t.Errorf("%q: error %v of the dense matrix, %v of the sparse one", how, a, b)
		}
	}
}

// A mask and weights count in all runs, and in Q.
func TestObserved(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 600, 6)
	mask, weights := lnmu.NewMask(12, 20), lnmu.NewDense[float64](12, 20, nil)
	for i := range 12 {
		for j := range 20 {
			weights.Row(i)[j] = 1 / max(1, m.At(i, j))
			if (i*7+j*3)%11 == 0 {
				mask.Set(i, j, false)
				m.Row(i)[j] = 1e6
			}
		}
	}
	for _, how := range ways {
		res, err := Stability(context.Background(), lnmu.Observed[float64]{Matrix: m, Mask: mask, Weights: weights}, []int{2}, nil,
			&Settings{Runs: 4, Resample: how, Iterations: 200})
		if err != nil {
			t.Fatalf("%q: %v", how, err)
		}
		p := res.Points[0]
		q, observed := 0.0, 0
		for i := range 12 {
			for j := range 20 {
				if mask.Observed(i, j) {
					x := m.At(i, j) - p.V.At(i, 0)*p.W.At(0, j) - p.V.At(i, 1)*p.W.At(1, j)
					q += weights.At(i, j) * x * x
					observed++
				}
			}
		}
		if math.Abs(q-p.Q) > 1e-9*q || p.ExpectedQ != float64(observed-2*31) || res.Observed != observed {
			t.Errorf("%q: Q %v, want %v; expected Q %v, want %d", how, p.Q, q, p.ExpectedQ, observed-2*31)
		}
		if p.Q > 2*p.ExpectedQ || p.Q < p.ExpectedQ/2 {
			t.Errorf("%q: Q %v of the planted counts is far from its expectation %v", how, p.Q, p.ExpectedQ)
		}
	}
}
