package lnmu_test

import (
	"fmt"
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// improved is Improve by its definition, for a dense matrix whose entries count where seen is 1: it
// rounds V and W by the 0.1 % rule and makes HALS steps on what is left. A missing entry is V W,
// renewed before each step (missing solver majorize).
func improved(m, seen, v, w lnmu.Dense[float64], iterations int) (lnmu.Dense[float64], lnmu.Dense[float64]) {
	round := func(vector []float64, stride int) {
		most := 0.0
		for i := 0; i < len(vector); i += stride {
			most = max(most, vector[i])
		}
		for i := 0; i < len(vector); i += stride {
			if vector[i] < most/1000 {
				vector[i] = 0
			}
		}
	}
	// half renews h, given M = H G for the vectors h of m and the rows of g.
	half := func(h, g, support, m, seen lnmu.Dense[float64]) {
		for i := range h.Rows {
			row, target := h.Row(i), make([]float64, m.Cols)
			for j := range target {
				if target[j] = m.At(i, j); seen.At(i, j) == 0 {
					target[j] = 0
					for k, x := range row {
						target[j] += x * g.At(k, j)
					}
				}
			}
			for k := range row {
				var across, within float64
				for j, x := range target {
					for l, y := range row {
						if l != k {
							x -= y * g.At(l, j)
						}
					}
					across += x * g.At(k, j)
					within += g.At(k, j) * g.At(k, j)
				}
				if support.At(i, k) > 0 && within > 0 {
					row[k] = max(0, across/within)
				}
			}
		}
	}
	v, wt := v.Transposed().Transposed(), w.Transposed()
	for k := range v.Cols {
		round(v.Data[k:], v.Cols)
		round(wt.Data[k:], wt.Cols)
	}
	ofV, ofW := v.Transposed().Transposed(), wt.Transposed().Transposed()
	for range iterations {
		half(v, wt.Transposed(), ofV, m, seen)
		half(wt, v.Transposed(), ofW, m.Transposed(), seen.Transposed())
	}
	return v, wt.Transposed()
}

// TestImproveSparse: Improve keeps the zeros of factors of a sparse matrix, in memory and in files,
// and makes the steps of its definition, also where unstored entries are missing.
func TestImproveSparse(t *testing.T) {
	for _, shape := range [][3]int{{60, 40, 3}, {40, 60, 3}, {60, 40, 1}, {40, 60, 1}} {
		rows, cols, rank := shape[0], shape[1], shape[2]
		d := lnmutest.SparseData[float64](rows, cols, 5).Dense()
		for i := range max(rows, cols) { // every row and column stores something
			if at := &d.Row(i % rows)[i%cols]; *at == 0 {
				*at = 0.5
			}
		}
		m := lnmu.NewCSR(d)
		stored, all := lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, cols, nil)
		for i := range rows {
			for j := range cols {
				if all.Row(i)[j] = 1; m.At(i, j) != 0 {
					stored.Row(i)[j] = 1
				}
			}
		}
		v, w := lnmutest.RandomStart[float64](rows, cols, rank, 1)
		for i := range v.Data {
			if i%3 == 0 {
				v.Data[i] *= 1e-5 // negligible
			}
		}
		for j := range w.Data {
			if j%4 == 1 {
				w.Data[j] = 0
			}
		}
		for name, c := range map[string]struct {
			of   lnmu.Matrix[float64]
			seen lnmu.Dense[float64]
		}{
			"memory":         {m, all},
			"files":          {&lnmutest.RowsOfCSR[float64]{CSR: m}, all},
			"missing":        {lnmu.Observed[float64]{Matrix: m, StoredOnly: true}, stored},
			"files, missing": {lnmu.Observed[float64]{Matrix: &lnmutest.RowsOfCSR[float64]{CSR: m}, StoredOnly: true}, stored},
		} {
			t.Run(fmt.Sprint(name, shape), func(t *testing.T) {
				wantV, wantW := improved(d, c.seen, v, w, 7)
				got := must.Get(lnmu.Improve(t.Context(), c.of, v, w, lnmu.NMF{Solver: lnmu.SolverHALS}, &lnmu.Settings{Iterations: 7, Scratch: t.TempDir()}))(t)
				zeros := 0
				for i, x := range wantV.Data {
					if y := got.V.Data[i]; math.Abs(x-y) > 1e-9 || x == 0 && y != 0 {
						t.Fatalf("number %d of V is %v, want %v", i, y, x)
					}
				}
				for j, x := range wantW.Data {
					if x == 0 {
						zeros++
					}
					if y := got.W.Data[j]; math.Abs(x-y) > 1e-9 || x == 0 && y != 0 {
						t.Fatalf("number %d of W is %v, want %v", j, y, x)
					}
				}
				if zeros < rank*cols/4 {
					t.Errorf("%d zeros in W", zeros)
				}
				fast, err := lnmu.Improve(t.Context(), c.of, v, w, lnmu.NMF{Solver: lnmu.SolverAccelerated}, &lnmu.Settings{Iterations: 30, Scratch: t.TempDir()})
				if err != nil || !(fast.RelativeError <= got.RelativeError) {
					t.Fatalf("the accelerated solver reaches %v after %v: %v", fast.RelativeError, got.RelativeError, err)
				}
				for j, x := range w.Data {
					if x == 0 && fast.W.Data[j] != 0 {
						t.Fatalf("the accelerated solver makes number %d of W %v", j, fast.W.Data[j])
					}
				}
			})
		}
	}
}
