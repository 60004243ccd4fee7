package lnmu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu"
)

// shareMissing lets settings say of the part of a process what they say of M.
func shareMissing(s *lnmu.Settings, p lnmu.Processes) {
	if k := s.Observed; k != nil {
		m, n := k.Dims()
		rows, cols := [2]int{0, m}, [2]int{0, n}
		first, last := lnmu.Share(m, n, p.Rank(), p.Size())
		if n > m {
			cols = [2]int{first, last}
		} else {
			rows = [2]int{first, last}
		}
		part := lnmu.NewMask(rows[1]-rows[0], cols[1]-cols[0])
		for i := rows[0]; i < rows[1]; i++ {
			for j := cols[0]; j < cols[1]; j++ {
				part.Set(i-rows[0], j-cols[0], k.Observed(i, j))
			}
		}
		s.Observed = part
	}
	if w, ok := s.Weights.(lnmu.Dense[float64]); ok {
		s.Weights, _ = share(w, p)
	}
}

// scatter returns a mask of which about the given part is missing, but no whole line.
func scatter(m, n int, part float64) *lnmu.Mask {
	k, x := lnmu.NewMask(m, n), uint64(m+3*n)
	for i := range m {
		for j := range n {
			x = x*6364136223846793005 + 1442695040888963407
			k.Set(i, j, float64(x>>11)/(1<<53) >= part || i%n == j%m)
		}
	}
	return k
}

// weighing returns weights from 1 to 5.
func weighing(m, n int) lnmu.Dense[float64] {
	w := lnmu.NewDense[float64](m, n, nil)
	for i := range w.Data {
		w.Data[i] = 1 + float64(i*i%9)/2
	}
	return w
}

// incompletes are settings for an m x n matrix of which entries are missing or have weights.
func incompletes(m, n int) map[string]lnmu.Settings {
	return map[string]lnmu.Settings{
		"mask":           {Observed: scatter(m, n, 0.4)},
		"weights":        {Weights: weighing(m, n)},
		"both":           {Weights: weighing(m, n), Observed: scatter(m, n, 0.2)},
		"exact":          {Observed: scatter(m, n, 0.2), MissingSolver: lnmu.MissingExact},
		"exact, weights": {Weights: weighing(m, n), Observed: scatter(m, n, 0.1), MissingSolver: lnmu.MissingExact},
	}
}

// holed returns a copy of m with NaN in the missing entries.
func holed[T lnmu.Float](m lnmu.Dense[T], k *lnmu.Mask) lnmu.Dense[T] {
	odd := lnmu.NewDense[T](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j := range m.Cols {
			if odd.Row(i)[j] = m.At(i, j); k != nil && !k.Observed(i, j) {
				odd.Row(i)[j] = T(math.NaN())
			}
		}
	}
	return odd
}

// TestProcessesMissing: any number of processes, with and without rows, find what one finds
// of a matrix of which entries are missing or have weights.
func TestProcessesMissing(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testProcessesMissing[float64](t, 2, 3, 5) })
	t.Run("float32", func(t *testing.T) { testProcessesMissing[float32](t, 3) })
}

func testProcessesMissing[T lnmu.Float](t *testing.T, sizes ...int) {
	for _, shape := range [][2]int{{500, 7}, {9, 500}, {60, 40}, {5, 3}} {
		m := positive[T](shape[0], shape[1], 3)
		for which, incomplete := range incompletes(shape[0], shape[1]) {
			odd := holed(m, incomplete.Observed)
			for _, c := range append([]run{{"nmf hals", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, lnmu.Settings{Iterations: 4}}}, runs...) {
				if strings.Contains(c.name, "admm") && incomplete.Weights != nil {
					continue
				}
				s := c.settings
				s.Observed, s.Weights, s.MissingSolver, s.Restarts = incomplete.Observed, incomplete.Weights, incomplete.MissingSolver, max(1, s.Restarts)
				whole, err := lnmu.Factor(t.Context(), odd, c.rank, c.method, &s)
				if err != nil {
					t.Fatal(err)
				}
				for _, size := range sizes {
					parts := factorParts(t, odd, size, &s, func(p lnmu.Processes, part lnmu.Dense[T], s *lnmu.Settings) (*lnmu.Result[T], error) {
						shareMissing(s, p)
						return lnmu.Factor(t.Context(), part, c.rank, c.method, s)
					})
					alike(t, fmt.Sprintf("%d x %d, %s, %s, %d processes", shape[0], shape[1], which, c.name, size), joined(t, m.Rows, m.Cols, parts), whole)
				}
			}
		}
	}
}

// TestProcessesMissingPart: one process alone misses something, or observes a column, or has
// another weight, and the others may leave their masks out.
func TestProcessesMissingPart(t *testing.T) {
	const long, short = 700, 6
	for _, shape := range [][2]int{{long, short}, {short, long}} {
		m := positive[float64](shape[0], shape[1], 3)
		at := func(i, j int) (line, column int) { // of entry (i, j)
			if shape[1] > shape[0] {
				return j, i
			}
			return i, j
		}
		masked := func(missing func(line, column int) bool) *lnmu.Mask {
			k := lnmu.NewMask(shape[0], shape[1])
			for i := range shape[0] {
				for j := range shape[1] {
					k.Set(i, j, !missing(at(i, j)))
				}
			}
			return k
		}
		heavy := lnmu.NewDense[float64](shape[0], shape[1], nil)
		for i := range heavy.Data {
			heavy.Data[i] = 1
		}
		heavy.Data[len(heavy.Data)-1] = 3
		light := lnmu.NewDense(shape[0], shape[1], append([]float64(nil), heavy.Data...))
		light.Data[len(light.Data)-1] = 0
		for name, s := range map[string]lnmu.Settings{
			"one entry":  {Observed: masked(func(line, column int) bool { return line == long-1 && column == 2 })},
			"one column": {Observed: masked(func(line, column int) bool { return column == 2 && line < long-3 })},
			"nothing":    {Observed: masked(func(line, column int) bool { return false })},
			"one weight": {Weights: heavy},
			"one of 0":   {Weights: light},
		} {
			odd := holed(m, s.Observed)
			s.Iterations, s.Restarts = 4, 1
			for _, solver := range []lnmu.MissingSolver{lnmu.MissingMajorize, lnmu.MissingExact} {
				s.MissingSolver = solver
				for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.RNMU{}, lnmu.GNMU{}} {
					whole, err := lnmu.Factor(t.Context(), odd, 2, method, &s)
					if err != nil {
						t.Fatal(err)
					}
					for _, size := range []int{2, 3, 11} {
						parts := factorParts(t, odd, size, &s, func(p lnmu.Processes, part lnmu.Dense[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
							if shareMissing(s, p); s.Observed != nil {
								s.Observed = lnmu.MaskOf(part) // nil if it is complete
							}
							return lnmu.Factor(t.Context(), part, 2, method, s)
						})
						alike(t, fmt.Sprintf("%v, %s, %s, %T, %d processes", shape, name, solver, method, size), joined(t, m.Rows, m.Cols, parts), whole)
					}
				}
			}
		}
	}
}

// TestProcessesMissingCheckpoint: the states of several processes are those of one, and any
// number of processes goes on from them to the same result.
func TestProcessesMissingCheckpoint(t *testing.T) {
	for _, shape := range [][2]int{{500, 7}, {9, 500}} {
		m := positive[float64](shape[0], shape[1], 3)
		for which, incomplete := range incompletes(shape[0], shape[1]) {
			odd := holed(m, incomplete.Observed)
			for _, c := range []run{runs[1], runs[2], runs[3], runs[4], runs[5], runs[8]} {
				if strings.Contains(c.name, "admm") && incomplete.Weights != nil {
					continue
				}
				settings := c.settings
				settings.Observed, settings.Weights, settings.MissingSolver = incomplete.Observed, incomplete.Weights, incomplete.MissingSolver
				compareStates(t, fmt.Sprintf("%v, %s, %s", shape, which, c.name), m.Rows, m.Cols, settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
					part := odd
					if p != nil {
						part, s.Part = share(odd, p)
						shareMissing(s, p)
					}
					return lnmu.Factor(t.Context(), part, c.rank, c.method, s)
				})
			}
		}
	}
}

// TestProcessesMissingEnd: an iteration of the accelerated solver in which the work is
// cancelled is left out by all processes, as one process leaves it out.
func TestProcessesMissingEnd(t *testing.T) {
	m, k := positive[float64](900, 5, 3), scatter(900, 5, 0.3)
	cancelled := func(m lnmu.Dense[float64], s lnmu.Settings, rank int) (*lnmu.Result[float64], error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.Iterations, s.Restarts = 9, 1
		s.Iterated = func(k int) {
			if k == 5 && rank == 0 {
				cancel()
			}
		}
		return lnmu.Factor(ctx, m, 3, lnmu.NMF{}, &s)
	}
	want, err := cancelled(m, lnmu.Settings{Observed: k}, 0)
	if !errors.Is(err, context.Canceled) || want == nil {
		t.Fatal(err)
	}
	parts := factorParts(t, m, 3, &lnmu.Settings{Observed: k}, func(p lnmu.Processes, part lnmu.Dense[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
		shareMissing(s, p)
		res, err := cancelled(part, *s, p.Rank())
		if err == nil {
			t.Errorf("process %d has come to an end", p.Rank())
		}
		return res, nil
	})
	alike(t, "cancelled", joined(t, m.Rows, m.Cols, parts), want)
}

// TestProcessesMissingZero: M = 0 where it is observed.
func TestProcessesMissingZero(t *testing.T) {
	m := lnmu.NewDense[float64](300, 4, nil)
	k := scatter(300, 4, 0.3)
	parts := factorParts(t, holed(m, k), 3, &lnmu.Settings{Observed: k}, func(p lnmu.Processes, part lnmu.Dense[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
		shareMissing(s, p)
		return lnmu.Factor(t.Context(), part, 2, nil, s)
	})
	if res := joined(t, 300, 4, parts); res.Stop != lnmu.StopExact || res.RelativeError != 0 {
		t.Errorf("%+v", res)
	}
}

// TestProcessesMissingErrors: what one process refuses, all of them do.
func TestProcessesMissingErrors(t *testing.T) {
	const size = 4
	m := positive[float64](900, 4, 2)
	whole := func() *lnmu.Settings {
		return &lnmu.Settings{Observed: scatter(900, 4, 0.3), Weights: weighing(900, 4), Iterations: 2}
	}
	for name, c := range map[string]struct {
		who    int // -1: all
		change func(rank int, part lnmu.Dense[float64], s *lnmu.Settings)
		target error
		says   string
	}{
		"a row": {2, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			for j := range part.Cols {
				s.Observed.Set(5, j, s.Observed.Observed(5, j) && rank != 2)
			}
		}, lnmu.ErrValue, "has no observed entry"},
		"a column": {-1, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			for i := range part.Rows {
				s.Observed.Set(i, 1, false)
				s.Observed.Set(i, 2, true)
			}
		}, lnmu.ErrValue, "column 2 of M has no observed entry"},
		"a mask of M": {1, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			if rank == 1 {
				s.Observed = scatter(900, 4, 0.3)
			}
		}, lnmu.ErrShape, "the mask is 900 x 4 and M is"},
		"a negative weight": {3, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			w := weighing(part.Rows, part.Cols)
			if s.Weights = w; rank == 3 {
				w.Row(0)[0] = -2
				s.Observed.Set(0, 0, true)
			}
		}, lnmu.ErrValue, "column 1 of the weights = -2"},
		"no weights": {-1, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			if rank == 0 {
				s.Weights = nil
			}
		}, lnmu.ErrOption, "others have none"},
		"a NaN": {1, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			if rank == 1 {
				part.Row(3)[0] = math.NaN()
				s.Observed.Set(3, 0, true)
			}
		}, lnmu.ErrValue, "column 1 of M = NaN"},
		"another solver": {2, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			if rank == 2 {
				s.MissingSolver = lnmu.MissingExact
			}
		}, lnmu.ErrOption, "all processes the same"},
		"an unknown solver": {2, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) {
			if rank == 2 {
				s.MissingSolver = "best"
			}
		}, lnmu.ErrOption, "unknown solver for missing entries"},
		"a rank": {-1, func(rank int, part lnmu.Dense[float64], s *lnmu.Settings) { s.Part.Whole = 3 }, lnmu.ErrShape, "Share"},
	} {
		errs := make([]error, size)
		together.Run(size, func(p *together.Process) {
			s := whole()
			part, at := share(holed(m, nil), p)
			s.Processes, s.Part = p, at
			shareMissing(s, p)
			c.change(p.Rank(), part, s)
			_, errs[p.Rank()] = lnmu.Factor(t.Context(), part, 2, lnmu.RNMU{}, s)
		})
		for rank, err := range errs {
			if own := c.who < 0 || rank == c.who; !errors.Is(err, c.target) && own || errors.Is(err, lnmu.ErrProcess) == own {
				t.Errorf("%s: process %d: %v", name, rank, err)
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: process %d says %v, not %q", name, rank, err, c.says)
			}
		}
	}
}
