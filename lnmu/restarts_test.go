package lnmu_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestRestarts checks that restarts do not disturb each other: what a later one finds does
// not depend on whether it takes over the memory of the first.
func TestRestarts(t *testing.T) {
	testRestarts[float32](t)
	testRestarts[float64](t)
}

// TestRestartsCounted: an early end is told from a whole run.
func TestRestartsCounted(t *testing.T) {
	m := lnmutest.Data[float64](60, 30, 1)
	res, err := lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Restarts: 3, Iterations: 5})
	if err != nil || res.RestartsBegun != 3 || res.RestartsFinished != 3 {
		t.Errorf("%d of 3 restarts begun, %d finished, %v", res.RestartsBegun, res.RestartsFinished, err)
	}
	res, err = lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Restarts: 3, Iterations: 5, Threads: 1, TimeLimit: time.Nanosecond})
	if err != nil || res.RestartsBegun != 1 || res.RestartsFinished != 0 {
		t.Errorf("out of time: %d of 3 restarts begun, %d finished, %v", res.RestartsBegun, res.RestartsFinished, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	res, err = lnmu.Factor(ctx, m, 3, lnmu.RNMU{}, &lnmu.Settings{Restarts: 5, Iterations: 5, Threads: 1, Iterated: func(int) {
		if calls++; calls == 2*15+8 { // in the third restart
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res.RestartsBegun != 3 || res.RestartsFinished != 2 || res.BestRestart > 2 {
		t.Errorf("cancelled: %d of 5 restarts begun, %d finished, best %d, %v", res.RestartsBegun, res.RestartsFinished, res.BestRestart, err)
	}
}

func testRestarts[T lnmu.Float](t *testing.T) {
	methods := []lnmu.Method{
		lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Norm: lnmu.L1}, lnmutest.AugmentedOf(0, 4, 2), lnmutest.AugmentedOf(1, 1, 1),
		lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: lnmu.SolverAccelerated},
		lnmu.GNMU{lnmu.Lagrangian{Feasible: lnmu.FeasibleEach}}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.2, SparsityW: 0.5}},
		lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, lnmu.SNMF{SparsityV: 0.5}, lnmu.Hoyer{SparsenessV: 0.5},
	}
	compared := 0
	seeds := uint64(4) // rounding differently does not always show
	if os.Getenv("NMU_FULL") != "" {
		seeds = 20
	}
	for _, shape := range [][2]int{{32, 8}, {8, 32}, {300, 9}} {
		for _, method := range methods {
			for _, rank := range []int{1, 3} {
				for seed := range seeds {
					m := lnmutest.Data[T](shape[0], shape[1], seed)
					settings := lnmu.Settings{Iterations: 8, Threads: 1, Seed: seed, Restarts: 3}
					got := must.Get(lnmu.Factor(t.Context(), m, rank, method, &settings))(t)
					if got.BestRestart == 1 {
						continue // what the first one finds shows nothing
					}
					compared++
					settings.Seed, settings.Restarts = got.Seed, 1
					want := must.Get(lnmu.Factor(t.Context(), m, rank, method, &settings))(t)
					if lnmu.SHA256(got.V) != lnmu.SHA256(want.V) || lnmu.SHA256(got.W) != lnmu.SHA256(want.W) {
						t.Errorf("%T %d x %d, %#v, rank %d, seed %d: restart %d depends on the ones before",
							T(0), m.Rows, m.Cols, method, rank, seed, got.BestRestart)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d comparisons", compared)
	}
}
