package processes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// incomplete are settings for a matrix of which entries are missing or have weights.
type incomplete struct {
	lnmu.Settings
	mask    *lnmu.Mask
	weights lnmu.Matrix[float64]
}

// observing returns m with what is observed of it.
func observing[T lnmu.Float](m lnmu.Matrix[T], s incomplete) lnmu.Matrix[T] {
	return lnmu.Observed[T]{Matrix: m, Mask: s.mask, Weights: s.weights}
}

// observingPart returns the part of m that a process has, with what is observed of that.
func observingPart[T lnmu.Float](m lnmu.Dense[T], s incomplete, p lnmu.Processes) lnmu.Matrix[T] {
	shareMissing(&s, p)
	return observing[T](share(m, p), s)
}

// shareMissing lets settings say of the part of a process what they say of M.
func shareMissing(s *incomplete, p lnmu.Processes) {
	if k := s.mask; k != nil {
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
		s.mask = part
	}
	if w, ok := s.weights.(lnmu.Dense[float64]); ok {
		s.weights = lines(w, p)
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
func incompletes(m, n int) map[string]incomplete {
	exact := lnmu.Settings{MissingSolver: lnmu.MissingExact}
	return map[string]incomplete{
		"mask":           {mask: scatter(m, n, 0.4)},
		"weights":        {weights: weighing(m, n)},
		"both":           {weights: weighing(m, n), mask: scatter(m, n, 0.2)},
		"exact":          {mask: scatter(m, n, 0.2), Settings: exact},
		"exact, weights": {weights: weighing(m, n), mask: scatter(m, n, 0.1), Settings: exact},
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
	cases := append([]run{{"nmf hals", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, lnmu.Settings{Iterations: 4}}}, runs...)
	shapes := [][2]int{{500, 7}, {9, 500}, {60, 40}, {5, 3}}
	for at, shape := range shapes {
		m := positive[T](shape[0], shape[1], 3)
		all := incompletes(shape[0], shape[1])
		for k, which := range slices.Sorted(maps.Keys(all)) {
			seen := all[which]
			odd := holed(m, seen.mask)
			turns, halves := lnmutest.Rotate(len(cases), len(shapes), at/2), lnmutest.Rotate(len(cases), 2, int(unsafe.Sizeof(T(0))/4))
			for i, c := range cases {
				if !turns.Takes(i, at) || !halves.Takes(i, k) {
					continue
				}
				if strings.Contains(c.name, "admm") && seen.weights != nil {
					continue
				}
				if _, ok := c.method.(lnmu.KL); ok && seen.MissingSolver == lnmu.MissingExact {
					continue // which it refuses
				}
				s := c.settings
				s.MissingSolver, s.Restarts = seen.MissingSolver, max(1, s.Restarts)
				whole, err := lnmu.Factor(t.Context(), observing[T](odd, seen), c.rank, c.method, &s)
				if err != nil {
					t.Fatal(err)
				}
				for _, size := range sizes {
					parts := inParts(t, size, &s, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
						return lnmu.Factor(t.Context(), observingPart(odd, seen, p), c.rank, c.method, s)
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
		for name, s := range map[string]incomplete{
			"one entry":  {mask: masked(func(line, column int) bool { return line == long-1 && column == 2 })},
			"one column": {mask: masked(func(line, column int) bool { return column == 2 && line < long-3 })},
			"nothing":    {mask: masked(func(line, column int) bool { return false })},
			"one weight": {weights: heavy},
			"one of 0":   {weights: light},
		} {
			odd := holed(m, s.mask)
			s.Iterations, s.Restarts = 4, 1
			for _, solver := range []lnmu.MissingSolver{lnmu.MissingMajorize, lnmu.MissingExact} {
				s.MissingSolver = solver
				for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.RNMU{}, lnmu.GNMU{}} {
					whole, err := lnmu.Factor(t.Context(), observing[float64](odd, s), 2, method, &s.Settings)
					if err != nil {
						t.Fatal(err)
					}
					for _, size := range []int{2, 3, 11} {
						parts := inParts(t, size, &s.Settings, func(p lnmu.Processes, settings *lnmu.Settings) (*lnmu.Result[float64], error) {
							own := s
							if shareMissing(&own, p); own.mask != nil {
								own.mask = lnmu.MaskOf(lines(odd, p)) // nil if it is complete
							}
							return lnmu.Factor(t.Context(), observing[float64](share(odd, p), own), 2, method, settings)
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
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("each state is resumed by other numbers of processes: with NMU_FULL only")
	}
	for _, shape := range [][2]int{{500, 7}, {9, 500}} {
		m := positive[float64](shape[0], shape[1], 3)
		for which, seen := range incompletes(shape[0], shape[1]) {
			odd := holed(m, seen.mask)
			for i, c := range []run{runs[1], runs[2], runs[3], runs[4], runs[5], runs[8]} {
				if os.Getenv("NMU_FULL") == "" && (i+shape[0])%2 > 0 {
					continue
				}
				if strings.Contains(c.name, "admm") && seen.weights != nil {
					continue
				}
				settings := c.settings
				settings.MissingSolver = seen.MissingSolver
				compareStates(t, fmt.Sprintf("%v, %s, %s", shape, which, c.name), m.Rows, m.Cols, settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
					if p == nil {
						return lnmu.Factor(t.Context(), observing[float64](odd, seen), c.rank, c.method, s)
					}
					return lnmu.Factor(t.Context(), observingPart(odd, seen, p), c.rank, c.method, s)
				})
			}
		}
	}
}

// TestProcessesMissingEnd: an iteration of the accelerated solver in which the work is
// cancelled is left out by all processes, as one process leaves it out.
func TestProcessesMissingEnd(t *testing.T) {
	m, k := positive[float64](900, 5, 3), scatter(900, 5, 0.3)
	seen := incomplete{mask: k}
	cancelled := func(m lnmu.Matrix[float64], s lnmu.Settings, rank int) (*lnmu.Result[float64], error) {
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
	want, err := cancelled(observing[float64](m, seen), lnmu.Settings{}, 0)
	if !errors.Is(err, context.Canceled) || want == nil {
		t.Fatal(err)
	}
	parts := inParts(t, 3, &lnmu.Settings{}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
		res, err := cancelled(observingPart(m, seen, p), *s, p.Rank())
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
	parts := inParts(t, 3, &lnmu.Settings{}, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(t.Context(), observingPart(holed(m, k), incomplete{mask: k}, p), 2, nil, s)
	})
	if res := joined(t, 300, 4, parts); res.Stop != lnmu.StopExact || res.RelativeError != 0 {
		t.Errorf("%+v", res)
	}
}

// TestProcessesMissingErrors: what one process refuses, all of them do.
func TestProcessesMissingErrors(t *testing.T) {
	const size = 4
	m := positive[float64](900, 4, 2)
	whole := func() *incomplete {
		return &incomplete{mask: scatter(900, 4, 0.3), weights: weighing(900, 4), Settings: lnmu.Settings{Iterations: 2}}
	}
	for name, c := range map[string]struct {
		who    int // -1: all
		change func(rank int, part lnmu.Dense[float64], s *incomplete)
		target error
		says   string
	}{
		"a row": {2, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			for j := range part.Cols {
				s.mask.Set(5, j, s.mask.Observed(5, j) && rank != 2)
			}
		}, lnmu.ErrValue, "has no observed entry"},
		"a column": {-1, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			for i := range part.Rows {
				s.mask.Set(i, 1, false)
				s.mask.Set(i, 2, true)
			}
		}, lnmu.ErrValue, "column 2 of M has no observed entry"},
		"a mask of M": {1, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			if rank == 1 {
				s.mask = scatter(900, 4, 0.3)
			}
		}, lnmu.ErrShape, "the mask is 900 x 4 and M is"},
		"a negative weight": {3, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			w := weighing(part.Rows, part.Cols)
			if s.weights = w; rank == 3 {
				w.Row(0)[0] = -2
				s.mask.Set(0, 0, true)
			}
		}, lnmu.ErrValue, "column 1 of the weights = -2"},
		"no weights": {-1, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			if rank == 0 {
				s.weights = nil
			}
		}, lnmu.ErrOption, "others have none"},
		"a NaN": {1, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			if rank == 1 {
				part.Row(3)[0] = math.NaN()
				s.mask.Set(3, 0, true)
			}
		}, lnmu.ErrValue, "column 1 of M = NaN"},
		"another solver": {2, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			if rank == 2 {
				s.MissingSolver = lnmu.MissingMajorize
			}
		}, lnmu.ErrOption, "all processes the same"},
		"an unknown solver": {2, func(rank int, part lnmu.Dense[float64], s *incomplete) {
			if rank == 2 {
				s.MissingSolver = "best"
			}
		}, lnmu.ErrOption, "unknown solver for missing entries"},
	} {
		errs := make([]error, size)
		together.Run(size, func(p *together.Process) {
			s := whole()
			part := lines(holed(m, nil), p)
			shareMissing(s, p)
			c.change(p.Rank(), part, s)
			of := lnmu.Part[float64]{Matrix: part, Processes: p, Rows: m.Rows, Cols: m.Cols}
			_, errs[p.Rank()] = lnmu.Factor(t.Context(), observing[float64](of, *s), 2, lnmu.RNMU{}, &s.Settings)
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
