package lnmu_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"nmu/lnmu"
)

// scattered is a sparse matrix whose rows have about as many entries as they say, more
// in the first ones.
func scattered[T lnmu.Float](m, n, entries int) lnmu.CSR[T] {
	rng := rand.New(rand.NewPCG(8, uint64(m)))
	c := lnmu.CSR[T]{Rows: m, Cols: n, Ptr: make([]int, m+1)}
	for i := range m {
		each := float64(2*entries) / float64(m) * float64(m-i) / float64(m)
		for j := range n {
			if rng.Float64()*float64(n) < each {
				c.Idx = append(c.Idx, int32(j))
				c.Val = append(c.Val, T(1+i%3*(j%4))*T(0.5+rng.Float64()))
			}
		}
		c.Ptr[i+1] = len(c.Val)
	}
	return c
}

// shareSparse is share of a sparse matrix.
func shareSparse[T lnmu.Float](m lnmu.CSR[T], p lnmu.Processes) (lnmu.CSR[T], lnmu.Part) {
	first, last := lnmu.Share(m.Rows, m.Cols, p.Rank(), p.Size())
	wide := m.Cols > m.Rows
	if wide {
		m = m.Transposed()
	}
	from, to := m.Ptr[first], m.Ptr[last]
	part := lnmu.CSR[T]{Rows: last - first, Cols: m.Cols, Idx: m.Idx[from:to], Val: m.Val[from:to]}
	for _, at := range m.Ptr[first : last+1] {
		part.Ptr = append(part.Ptr, at-from)
	}
	at := lnmu.Part{First: first, Whole: m.Rows, Columns: wide}
	if wide {
		part = part.Transposed()
	}
	return part, at
}

var sparseRuns = []run{
	{"nmf", lnmu.NMF{}, 3, lnmu.Settings{Iterations: 3}},
	{"nmf one", lnmu.NMF{}, 1, lnmu.Settings{Iterations: 3, Restarts: 2}},
	{"accelerated", lnmu.NMF{Solver: lnmu.SolverAccelerated}, 3, lnmu.Settings{Iterations: 4, Record: true, CheckEvery: 2}},
	{"gnmu", lnmu.GNMU{}, 2, lnmu.Settings{Iterations: 4, Restarts: 2}},
	{"rnmu", lnmu.RNMU{}, 2, lnmu.Settings{Iterations: 4, Tolerance: 1e-3, CheckEvery: 2}},
	{"rnmu admm", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 2}}, 2, lnmu.Settings{Iterations: 22}},
	{"rnmu blocks", lnmu.RNMU{Block: 2}, 3, lnmu.Settings{Iterations: 3, Init: lnmu.InitNested}},
}

// TestProcessesSparse: the same of sparse matrices, with many slabs, groups of them that
// several processes have a part of, and fewer slabs than processes.
func TestProcessesSparse(t *testing.T) {
	t.Run("float64", testProcessesSparse[float64])
	t.Run("float32", testProcessesSparse[float32])
}

func testProcessesSparse[T lnmu.Float](t *testing.T) {
	for _, shape := range [][3]int{{1500, 60, 40000}, {700, 600, 30000}, {500, 900, 30000}, {40, 1200, 20000}, {5, 3, 9}, {4, 6, 9}} {
		m := scattered[T](shape[0], shape[1], shape[2])
		for _, c := range sparseRuns {
			c.settings.Restarts = cmp.Or(c.settings.Restarts, 1)
			whole, err := lnmu.FactorSparse(t.Context(), m, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{1, 2, 3, 4, 7} {
				name := fmt.Sprintf("%v, %s, %d processes", shape, c.name, size)
				parts := inParts[T](t, size, &c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
					var part lnmu.CSR[T]
					part, s.Part = shareSparse(m, p)
					return lnmu.FactorSparse(t.Context(), part, c.rank, c.method, s)
				})
				alike(t, name, joined(t, m.Rows, m.Cols, parts), whole)
				if t.Failed() {
					return
				}
			}
		}
	}
}
