package lnmu

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/lnmu/internal/matrix"
)

// variants are the methods and solvers that take missing entries.
func variants() map[string]Method {
	return map[string]Method{
		"nmf":             NMF{},
		"nmf accelerated": NMF{Solver: SolverAccelerated},
		"snmf":            SNMF{PenaltyV: 0.1, PenaltyW: 0.1},
		"snmf targets":    SNMF{SparsityV: 0.5, SparsityW: 0.5},
		"gnmu":            GNMU{},
		"gnmu admm":       GNMU{Lagrangian{Solver: SolverADMM, Rho: 2}},
		"gnmu feasible":   GNMU{Lagrangian{Feasible: FeasibleFinal, ExactSteps: 2}},
		"rnmu":            RNMU{},
		"rnmu admm":       RNMU{Lagrangian: Lagrangian{Solver: SolverADMM}},
		"rnmu block":      RNMU{Block: 2},
		"rnmu feasible":   RNMU{Lagrangian: Lagrangian{Feasible: FeasibleEach}},
		"rnmu l1":         RNMU{Norm: L1},
	}
}

// incompleteSolvers are the solvers for missing entries.
func incompleteSolvers() []Solver { return []Solver{MissingMajorize, MissingExact} }

// gaps returns a mask of which about the given part is missing, but no whole row or
// column.
func gaps(m, n int, part float64, seed uint64) *Mask {
	rng := rand.New(rand.NewPCG(seed, 7))
	k := NewMask(m, n)
	for i := range m {
		for j := range n {
			k.Set(i, j, rng.Float64() >= part || i%n == j%m)
		}
	}
	return k
}

// filled returns a copy of m with x in place of what is missing.
func filled[T Float](m Dense[T], k *Mask, x ...T) Dense[T] {
	c := matrix.Clone(m)
	at := 0
	for i := range c.Rows {
		for j := range c.Row(i) {
			if !k.Observed(i, j) {
				c.Row(i)[j] = x[at%len(x)]
				at++
			}
		}
	}
	return c
}

func randomMatrix[T Float](m, n int, seed uint64) Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 3))
	d := NewDense[T](m, n, nil)
	for i := range d.Data {
		if d.Data[i] = T(rng.Float64()); rng.IntN(4) == 0 {
			d.Data[i] = 0
		}
	}
	return d
}

// TestMissingContents: what a missing entry holds changes no bit of a result, nor does
// how M lies, and how many threads compute.
func TestMissingContents(t *testing.T) {
	testMissingContents[float64](t)
	testMissingContents[float32](t)
}

func testMissingContents[T Float](t *testing.T) {
	for _, size := range [][2]int{{24, 13}, {9, 210}} {
		m := randomMatrix[T](size[0], size[1], 1)
		k := gaps(size[0], size[1], 0.3, 2)
		for name, method := range variants() {
			for _, solver := range incompleteSolvers() {
				for _, init := range Inits() {
					s := Settings{MissingSolver: solver, Restarts: 1, Iterations: 4, Init: init, Threads: 1}
					want, err := Factor(t.Context(), Observed[T]{Matrix: filled(m, k, 0), Mask: k}, 3, method, &s)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					for threads, x := range [][]T{{T(math.NaN())}, {T(math.Inf(1)), -1}, {T(matrix.Largest[T]()), T(math.Inf(-1)), 7}} {
						s.Threads = threads + 1
						odd := filled(m, k, x...)
						for i, in := range []Matrix[T]{odd, byColumns(odd.Rows, odd.Cols, odd.Transposed().Data)} {
							got, err := Factor(t.Context(), Observed[T]{Matrix: in, Mask: k}, 3, method, &s)
							if err != nil {
								t.Fatalf("%s %s %s: %v", name, solver, init, err)
							}
							if SHA256(got.V) != SHA256(want.V) || SHA256(got.W) != SHA256(want.W) || got.RelativeError != want.RelativeError || got.MaxViolation != want.MaxViolation || got.LargestEntry != want.LargestEntry {
								t.Errorf("%v %s %s %s: with %v, by columns %d, error %v, want %v", size, name, solver, init, x, i, got.RelativeError, want.RelativeError)
							}
						}
					}
				}
			}
		}
	}
}
