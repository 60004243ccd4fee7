package lnmu_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// variants are the methods and solvers that take missing entries.
func variants() map[string]lnmu.Method {
	return map[string]lnmu.Method{
		"nmf":             lnmu.NMF{Solver: lnmu.SolverHALS},
		"nmf accelerated": lnmu.NMF{Solver: lnmu.SolverAccelerated},
		"snmf":            lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1},
		"snmf targets":    lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.5},
		"gnmu":            lnmu.GNMU{},
		"gnmu admm":       lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 2},
		"gnmu feasible":   lnmu.GNMU{Feasible: lnmu.FeasibleFinal, FeasibleSteps: 2},
		"rnmu":            lnmu.RNMU{},
		"rnmu admm":       lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}},
		"rnmu block":      lnmu.RNMU{Block: 2},
		"rnmu feasible":   lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}},
		"rnmu l1":         lnmu.RNMU{Norm: lnmu.L1},
	}
}

// incompleteSolvers are the solvers for missing entries.
func incompleteSolvers() []lnmu.Choice {
	return []lnmu.Choice{lnmu.MissingMajorize, lnmu.MissingExact}
}

// TestMissingContents: what a missing entry holds changes no bit of a result, nor does
// how M lies, and how many threads compute.
func TestMissingContents(t *testing.T) {
	precisions(t, testMissingContents[float64], testMissingContents[float32])
}

func testMissingContents[T lnmu.Float](t *testing.T) {
	for at, size := range [][2]int{{24, 13}, {9, 210}} {
		m := lnmutest.RandomMatrix[T](size[0], size[1], 1)
		k := lnmutest.Gaps(size[0], size[1], 0.3, 2)
		all, inits := variants(), options.Inits()
		for i, name := range slices.Sorted(maps.Keys(all)) {
			method := all[name]
			for j, solver := range incompleteSolvers() {
				turns := lnmutest.Rotate(len(all), len(inits), at+2*j+int(unsafe.Sizeof(T(0))/4))
				for l, init := range inits {
					if !turns.Takes(i, l) {
						continue
					}
					s := lnmu.Settings{MissingSolver: solver, Start: lnmu.Start{Restarts: 1, Init: lnmu.Choice(init)}, Limits: lnmu.Limits{Iterations: 4}, Threads: 1}
					want := must.Get(lnmu.Factor(t.Context(), lnmu.Observed[T]{Matrix: lnmutest.Filled(m, k, 0), Mask: k}, 3, method, &s))(t, name)
					for threads, x := range [][]T{{T(math.NaN())}, {T(math.Inf(1)), -1}, {T(matrix.Largest[T]()), T(math.Inf(-1)), 7}} {
						s.Threads = threads + 1
						odd := lnmutest.Filled(m, k, x...)
						for i, in := range []lnmu.Matrix[T]{odd, byColumns(odd.Rows, odd.Cols, odd.Transposed().Data)} {
							got := must.Get(lnmu.Factor(t.Context(), lnmu.Observed[T]{Matrix: in, Mask: k}, 3, method, &s))(t, name, solver, init)
							if factors.SHA256(got.V) != factors.SHA256(want.V) || factors.SHA256(got.W) != factors.SHA256(want.W) || got.RelativeError != want.RelativeError || got.MaxViolation != want.MaxViolation || got.LargestEntry != want.LargestEntry {
								t.Errorf("%v %s %s %s: with %v, by columns %d, error %v, want %v", size, name, solver, init, x, i, got.RelativeError, want.RelativeError)
							}
						}
					}
				}
			}
		}
	}
}
