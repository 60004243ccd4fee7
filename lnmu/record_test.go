package lnmu_test

import (
	"testing"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// A history that is asked for changes no bit, and has an error for every check; that of
// a block ends at its error if its iterations end at a check.
func TestRecord(t *testing.T) {
	m := lnmutest.Data[float64](30, 20, 1)
	for _, method := range []lnmu.Method{
		lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1},
		lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, lnmu.Hoyer{HoyerV: 0.5},
	} {
		for _, sparse := range []bool{false, true} {
			if sparse && !options.DescriptionOf(method).Sparse() {
				continue
			}
			var results [2]*lnmu.Result[float64]
			for i := range results {
				s := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 20, CheckEvery: 5}, Start: lnmu.Start{Restarts: 2}, Record: i == 1}
				var x lnmu.Matrix[float64] = m
				if sparse {
					x = lnmu.NewCSR(m)
				}
				var err error
				if results[i], err = lnmu.Factor(t.Context(), x, 4, method, s); err != nil && sparse {
					break // an option that needs a dense matrix
				}
				must.Do(t, err)
			}
			plain, recorded := results[0], results[1]
			if plain == nil {
				continue
			}
			if factors.SHA256(plain.V) != factors.SHA256(recorded.V) || factors.SHA256(plain.W) != factors.SHA256(recorded.W) || plain.Stop != recorded.Stop {
				t.Errorf("%+v, sparse %v: with Record the result is another one", method, sparse)
			}
			for _, b := range recorded.Blocks {
				if len(b.History) != b.IterationsDone/5 {
					t.Errorf("%+v, sparse %v: %d errors of %d iterations", method, sparse, len(b.History), b.IterationsDone)
				} else if n := len(b.History); n > 0 && b.IterationsDone%5 == 0 {
					if e := b.History[n-1]; e < b.Error*(1-1e-6) || e > b.Error*(1+1e-6) {
						t.Errorf("%+v, sparse %v: the history ends at %v, the error is %v", method, sparse, e, b.Error)
					}
				}
			}
			for _, b := range plain.Blocks {
				if b.History != nil {
					t.Errorf("%+v: a history without Record", method)
				}
			}
		}
	}
}
