package lnmu_test

import (
	"math"
	"strings"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestInfiniteDivergence: where V W = 0 at an observed positive entry the divergence is infinite, in a result,
// its history and in new columns, and no target is reached. Elsewhere it is the literal one. Coordinate steps leave
// such factors, unless the zeros are fixed.
func TestInfiniteDivergence(t *testing.T) {
	precisions(t, infiniteDivergence[float64],
		infiniteDivergence[float32])
}

func infiniteDivergence[T lnmu.Float](t *testing.T) {
	rows, cols, rank := 14, 11, 2
	for _, scale := range []float64{1, 1e-15, 1e15} {
		for _, c := range []struct {
			name string
			// at are the row of V and the column of W that are zero, -1 for none. gap says that the entries of M are missing
			// there, clear that they are 0, except where both cross if the divergence is infinite.
			row, col   int
			gap, clear bool
			infinite   bool
		}{
			{"positive", -1, -1, false, false, false},
			{"row of V", 3, -1, false, false, true},
			{"column of W", -1, 10, false, false, true},
			{"missing", 3, -1, true, false, false},
			{"zero in M", 13, 0, false, true, false},
			{"block", 13, 0, false, true, true},
		} {
			m, mask := lnmutest.Ones[T](rows, cols), lnmu.NewMask(rows, cols)
			v, w := lnmutest.RandomStart[T](rows, cols, rank, 5)
			for i := range rows {
				for j := range cols {
					out := i == c.row || j == c.col
					m.Row(i)[j] *= T(scale * float64(1+(i*j)%5))
					if c.clear && out && !(c.infinite && i == c.row && j == c.col) {
						m.Row(i)[j] = 0
					}
					mask.Set(i, j, !c.gap || !out || j == 0) // a row needs an observed entry
					if c.gap && out && j == 0 {
						m.Row(i)[j] = 0
					}
				}
			}
			for k := range rank {
				if c.row >= 0 {
					v.Row(c.row)[k] = 0
				}
				if c.col >= 0 {
					w.Row(k)[c.col] = 0
				}
			}
			weights, ones := lnmutest.WeightsOf(mask, true), lnmutest.Ones[float64](rows, cols)
			type source struct {
				name string
				m    lnmu.Matrix[T]
				u    lnmu.Dense[float64]
			}
			sources := []source{{"masked", lnmu.Observed[T]{Matrix: m, Mask: mask}, lnmutest.WeightsOf(mask, false)}, {"weighted", lnmu.Observed[T]{Matrix: m, Weights: weights}, weights}}
			if !c.gap {
				sources = append(sources, source{"dense", m, ones}, source{"sparse", lnmu.NewCSR(m), ones}, source{"files", &lnmutest.LinesOf[T]{Dense: m}, ones})
			}
			for _, s := range sources {
				what := c.name + ", " + s.name
				res := must.Get(lnmu.FactorFrom(t.Context(), s.m, v, w, lnmu.KL{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 7, CheckEvery: 3, TargetError: 1e-300, Tolerance: 1e-9}, Record: true}))(t, what)
				want := literal.Problem{M: literal.As[float64](m), U: s.u}.Divergence(literal.As[float64](res.V), literal.As[float64](res.W))
				if d := res.RelativeDivergence; math.IsInf(d, 1) != c.infinite || math.IsInf(want, 1) != c.infinite || math.IsInf(res.Blocks[0].Divergence, 1) != c.infinite {
					t.Errorf("%s: relative divergence %v, literal divergence %v", what, d, want)
				}
				for _, h := range res.Blocks[0].History {
					must.Equal(t, math.IsInf(h, 1), c.infinite, what, "history", res.Blocks[0].History)
				}
				must.Equal(t, strings.Contains(strings.Join(res.Notes, "\n"), "infinite"), c.infinite, what, "notes", res.Notes)
				if res.Stop == outcome.StopTarget {
					t.Errorf("%s: the target is reached", what)
				}
				for _, held := range []bool{false, true} {
					settings, stays := new(lnmu.Settings), false
					if observed := s.name == "masked" || s.name == "weighted"; held && observed {
						continue // refused
					}
					if held {
						settings.FixedV, stays = literal.As[float64](v), c.infinite && c.row >= 0
					}
					left := must.Get(lnmu.FactorFrom(t.Context(), s.m, v, w, lnmu.KL{Solver: lnmu.SolverCoordinate}, settings))(t, what)
					if noted := strings.Contains(strings.Join(left.Notes, "\n"), "infinite"); math.IsInf(left.RelativeDivergence, 1) != stays || noted != stays {
						t.Errorf("%s: relative divergence %v after coordinate steps, V fixed: %v, notes %q", what, left.RelativeDivergence, held, left.Notes)
					}
				}
				if c.row < 0 || s.name == "files" {
					continue
				}
				found := must.Get(lnmu.Transform(t.Context(), s.m, v, lnmu.Dense[T]{}, &lnmu.TransformSettings{Divergence: true}))(t, what)
				if d := found.RelativeDivergence; math.IsInf(d, 1) != c.infinite {
					t.Errorf("%s: relative divergence %v of new columns", what, d)
				}
			}
		}
	}
}
