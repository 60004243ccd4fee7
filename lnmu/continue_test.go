package lnmu_test

import (
	"fmt"
	"reflect"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// A recursion that is continued has the bits of a run of the full rank, whatever the
// rank that it had before.
func TestContinue(t *testing.T) { precisions(t, continued[float64], continued[float32]) }

func continued[T lnmu.Float](t *testing.T) {
	const rank = 6
	nested, svd := lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitNested, Restarts: 1, Seed: 2}, Limits: lnmu.Limits{Iterations: 8}}, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}, Limits: lnmu.Limits{Iterations: 8}}
	for _, c := range []struct {
		name     string
		method   lnmu.RNMU
		settings lnmu.Settings
		sparse   bool
		step     int
	}{
		{"plain", lnmu.RNMU{}, nested, false, 1},
		{"svd", lnmu.RNMU{}, svd, false, 1},
		{"l1", lnmu.RNMU{Norm: lnmu.L1}, nested, false, 1},
		{"admm", lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, nested, false, 1},
		{"blocks", lnmu.RNMU{Block: 2}, nested, false, 2},
		{"feasible", lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}, nested, false, 1},
		{"sparse", lnmu.RNMU{}, nested, true, 1},
		{"sparse blocks", lnmu.RNMU{Block: 3}, nested, true, 3},
	} {
		for _, shape := range [][2]int{{40, 9}, {9, 40}} {
			t.Run(fmt.Sprintf("%s/%dx%d", c.name, shape[0], shape[1]), func(t *testing.T) {
				m := parts[T](shape[0], shape[1])
				s := c.settings
				in := func() lnmu.Matrix[T] {
					if c.sparse {
						return lnmu.NewCSR(m)
					}
					return m
				}
				run := func(rank int) (*lnmu.Result[T], error) { return lnmu.Factor(t.Context(), in(), rank, c.method, &s) }
				goOn := func(first *lnmu.Result[T], rank int) (*lnmu.Result[T], error) {
					return first.Continue(t.Context(), in(), rank, c.method, &s)
				}
				want := must.Get(run(rank))(t)
				for k := c.step; k <= rank; k += c.step {
					first := must.Get(run(k))(t)
					got, err := goOn(first, rank)
					if err != nil || !reflect.DeepEqual(got, want) {
						t.Fatalf("from rank %d: another result, %v", k, err)
					}
					// A last block that was cut short is found anew.
					first.Blocks[len(first.Blocks)-1].Stop = outcome.StopTime
					if got, err = goOn(first, rank); err != nil || !reflect.DeepEqual(got, want) {
						t.Fatalf("from rank %d without the last block: another result, %v", k, err)
					}
				}
				m.Row(0)[0] += 1
				must.Refuse(goOn(want, rank))(t, lnmu.ErrCheckpoint, "", "another matrix")
			})
		}
	}
}

// parts returns an m x n matrix with zeros.
func parts[T lnmu.Float](m, n int) lnmu.Dense[T] {
	x := lnmu.NewDense[T](m, n, nil)
	for i := range x.Data {
		if k := i * 7919 % 31; k > 8 {
			x.Data[i] = T(k) / 8
		}
	}
	return x
}

// What cannot be continued with the same bits is refused.
func TestContinueRefuses(t *testing.T) {
	m := parts[float64](20, 9)
	ok := lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitNested, Restarts: 1}, Limits: lnmu.Limits{Iterations: 4}}
	first := must.Get(lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &ok))(t)
	shorter := *first
	shorter.V = lnmu.NewDense(20, 2, make([]float64, 40))
	for _, c := range []struct {
		name     string
		first    *lnmu.Result[float64]
		rank     int
		method   lnmu.Method
		settings lnmu.Settings
		is       error
		says     string
	}{
		{"nothing", nil, 4, nil, ok, lnmu.ErrOption, "no result"},
		{"all at once", first, 4, lnmu.GNMU{}, ok, lnmu.ErrOption, "gnmu finds all factors at once"},
		{"random", first, 4, nil, lnmu.Settings{Limits: lnmu.Limits{Iterations: 4}}, lnmu.ErrOption, `start "random", which depends on the rank`},
		{"restarts", first, 4, nil, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitNested, Restarts: 2}}, lnmu.ErrOption, "2 restarts"},
		{"feasible final", first, 4, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}}, ok, lnmu.ErrOption, "feasible final"},
		{"svd by two", first, 4, lnmu.RNMU{Block: 2}, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}, lnmu.ErrOption, `start "svd"`},
		{"blocks", first, 4, lnmu.RNMU{Block: 2}, ok, lnmu.ErrOption, "found together"},
		{"fewer", first, 2, nil, ok, lnmu.ErrOption, "found together"},
		{"V too narrow", &shorter, 4, nil, ok, lnmu.ErrShape, "ends at factor 3"},
		{"other iterations", first, 4, lnmu.RNMU{GNMU: lnmu.GNMU{Inner: -1}}, ok, lnmu.ErrOption, "negative"},
	} {
		must.Refuse(c.first.Continue(t.Context(), m, c.rank, c.method, &c.settings))(t, c.is, c.says, c.name)
	}
	must.Refuse(first.Continue(t.Context(), parts[float64](21, 9), 4, nil, &ok))(t, lnmu.ErrShape, "", "another shape")
}
