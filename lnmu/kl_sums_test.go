package lnmu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestKLOfRankOne: the closed form, row sums times column sums over the total, is found from every
// start within a few iterations. V and W are then a column and a row of M times a number.
func TestKLOfRankOne(t *testing.T) {
	for _, solver := range []lnmu.Choice{lnmu.SolverMultiplicative, lnmu.SolverCoordinate} {
		t.Run("float64, "+string(solver), func(t *testing.T) { testKLOfRankOne[float64](t, lnmu.KL{Solver: solver}, 1e-14) })
		t.Run("float32, "+string(solver), func(t *testing.T) { testKLOfRankOne[float32](t, lnmu.KL{Solver: solver}, 1e-5) })
	}
}

func testKLOfRankOne[T lnmu.Float](t *testing.T, method lnmu.KL, within float64) {
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := 1; i < n; i++ { // the first one stays 0
			x[i] = math.Pow(10, 4*rng.Float64())
		}
		return x
	}
	for _, shape := range [][2]int{{2, 3}, {3, 2}, {5, 5}, {130, 7}, {9, 300}} {
		v, w := draw(shape[0]), draw(shape[1])
		m := lnmu.NewDense[T](len(v), len(w), nil)
		for i, a := range v {
			for j, b := range w {
				m.Row(i)[j] = T(a * b)
			}
		}
		for name, x := range map[string]lnmu.Matrix[T]{"dense": m, "sparse": lnmu.NewCSR(m), "stored": &lnmutest.LinesOf[T]{Dense: m}} {
			for iterations := 1; iterations <= 200; iterations = 3*iterations + 1 {
				res := must.Get(lnmu.Factor(t.Context(), x, 1, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: uint64(iterations)}, Limits: lnmu.Limits{Iterations: iterations}}))(t)
				for i := range v {
					for j := range w {
						if got, want := literal.Entry(res.V, res.W, i, j), float64(m.At(i, j)); !(math.Abs(got-want) <= within*want) {
							t.Fatalf("%s, %d iterations: (V W)(%d, %d) is %v, want %v", name, iterations, i, j, got, want)
						}
					}
				}
				must.AtMost(t, res.RelativeError, 10*within, name, iterations, "iterations: relative error")
			}
		}
	}
}

// TestKLSums: the columns of V W have the sums of the columns of M after any number of iterations.
// With weights the sums are weighted, and with penalties the column sums of W times the penalty of
// W, and twice their l2 penalties, add to those of V W.
func TestKLSums(t *testing.T) {
	for _, solver := range []lnmu.Choice{lnmu.SolverMultiplicative, lnmu.SolverCoordinate} {
		for _, shape := range [][2]int{{60, 45}, {40, 75}} {
			for _, kind := range []string{"dense", "sparse", "stored", "missing", "weights", "penalties", "l2", "fixed"} {
				for _, iterations := range []int{1, 20, 41} {
					name := fmt.Sprintf("%s, %d x %d, %s, %d iterations", solver, shape[0], shape[1], kind, iterations)
					t.Run(name, func(t *testing.T) { testKLSums(t, lnmu.KL{Solver: solver}, shape, kind, iterations) })
				}
			}
		}
	}
}

func testKLSums(t *testing.T, method lnmu.KL, shape [2]int, kind string, iterations int) {
	m := counts[float64](shape[0], shape[1], 8, 4)
	u := lnmutest.Ones[float64](m.Rows, m.Cols)
	s := lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: 3}, Limits: lnmu.Limits{Iterations: iterations}}
	var x lnmu.Matrix[float64] = m
	switch kind {
	case "sparse":
		x = lnmu.NewCSR(m)
	case "stored":
		x = &lnmutest.LinesOf[float64]{Dense: m}
	case "penalties":
		method.PenaltyV, method.PenaltyW = 0.5, 2
	case "l2":
		method.PenaltyW, method.L2V, method.L2W = 0.5, 1, 2
	case "missing":
		seen := lnmu.NewMask(m.Rows, m.Cols)
		for i := 0; i < len(m.Data); i += 7 {
			u.Data[i] = 0
			seen.Set(i/m.Cols, i%m.Cols, false)
		}
		x = lnmu.Observed[float64]{Matrix: m, Mask: seen}
	case "weights":
		for i := range u.Data {
			u.Data[i] = float64(i%4) / 4
		}
		x = lnmu.Observed[float64]{Matrix: m, Weights: u}
	case "fixed":
		s.FixedV = lnmu.NewDense[float64](m.Rows, 2, nil)
		for i := range s.FixedV.Data {
			s.FixedV.Data[i] = float64(1 + i%5)
		}
	}
	res := must.Get(lnmu.Factor(t.Context(), x, 8, method, &s))(t)
	for j := range m.Cols {
		var got, want float64
		for i := range m.Rows {
			got += u.At(i, j) * literal.Entry(res.V, res.W, i, j)
			want += u.At(i, j) * m.At(i, j)
		}
		for k := range 8 {
			a := res.W.At(k, j)
			got += method.PenaltyW*a + 2*method.L2W*a*a
		}
		if !(math.Abs(got-want) <= 1e-13*want) {
			t.Errorf("column %d of V W adds up to %v, column %d of M to %v", j, got, j, want)
		}
	}
}
