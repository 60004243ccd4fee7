package lnmu_test

import (
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestAllocations checks that an iteration allocates nothing, nor does the call of
// Iterated.
func TestAllocations(t *testing.T) {
	dense, sparse := lnmutest.Data[float64](152, 72, 8), lnmutest.SparseData[float64](152, 72, 8)
	count := func(m lnmu.Matrix[float64], method lnmu.Method, threads, iterations int) uint64 {
		iterated := 0
		s := lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Threads: threads, Limits: lnmu.Limits{Iterations: iterations}, Watch: lnmu.Watch{Iterated: func(int) { iterated++ }}}
		var res *lnmu.Result[float64]
		var err error
		_, mallocs := allocated(func() { res, err = lnmu.Factor(t.Context(), m, 4, method, &s) })
		must.Do(t, err)
		must.Equal(t, iterated, iterations*len(res.Blocks), lnmutest.NameOf(method), "Iterated was called")
		return mallocs
	}
	both := []lnmu.Method{lnmu.KL{}, lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.1}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}, lnmutest.AugmentedOf(0, 1, 2), lnmutest.AugmentedOf(1, 1, 1), lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: lnmu.SolverAccelerated}, lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.5}}
	for _, c := range []struct {
		m       lnmu.Matrix[float64]
		methods []lnmu.Method
	}{{dense, append(both, allPriors(dense.Rows, dense.Cols)[7])}, {sparse, both}} {
		for _, method := range c.methods {
			for _, threads := range []int{1, 3} {
				count(c.m, method, threads, 1)
				few, many := count(c.m, method, threads, 10), count(c.m, method, threads, 110)
				// The runtime itself allocates now and then, but not once per iteration.
				if many > few+50 {
					t.Errorf("%T, %s, %d threads: %d allocations in 10 iterations, %d in 110", c.m, lnmutest.NameOf(method), threads, few, many)
				}
			}
		}
	}
}
