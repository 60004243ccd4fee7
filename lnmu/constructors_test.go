package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"

	"nmu/internal/leak"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// Entries in any order give the matrix that a table of sums gives, and each place once.
func TestCSRFrom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		rows, cols := 1+rng.IntN(7), 1+rng.IntN(7)
		want := lnmu.NewDense[float64](rows, cols, nil)
		type entry struct {
			place [2]int
			x     float64
		}
		var all []entry
		stored := map[[2]int]bool{}
		for range rng.IntN(30) {
			e := entry{[2]int{rng.IntN(rows), rng.IntN(cols)}, float64(rng.IntN(3))}
			all = append(all, e)
			want.Row(e.place[0])[e.place[1]] += e.x
			stored[e.place] = true
		}
		c := must.Get(lnmu.CSRFrom(rows, cols, func(yield func([2]int, float64) bool) {
			for _, e := range all {
				if !yield(e.place, e.x) {
					return
				}
			}
		}))(t)
		must.Do(t, c.Validate())
		if got := c.Dense(); !reflect.DeepEqual(got.Data, want.Data) || len(c.Val) != len(stored) {
			t.Fatalf("%v: %v, want %v in %d entries", all, c, want, len(stored))
		}
	}
}

func TestCSRFromRefuses(t *testing.T) {
	one := func(i, j int) func(func([2]int, float32) bool) {
		return func(yield func([2]int, float32) bool) {
			if yield([2]int{0, 0}, 1) {
				yield([2]int{i, j}, 1)
			}
		}
	}
	for _, c := range []struct {
		rows, cols, i, j int
		says             string
	}{
		{2, 3, 2, 0, "entry 2 is at (2, 0) of a 2 x 3 matrix, counted from 0"},
		{2, 3, 0, 3, "(0, 3)"},
		{2, 3, -1, 0, "(-1, 0)"},
		{0, 3, 0, 0, "M is 0 x 3"},
		{-1, 3, 0, 0, "M is -1 x 3"},
		{3, math.MaxInt, 0, 0, fmt.Sprint(math.MaxInt)},
	} {
		if c.cols == math.MaxInt32 { // where int has 32 bits, there are no more columns than can be counted
			continue
		}
		must.Refuse(lnmu.CSRFrom(c.rows, c.cols, one(c.i, c.j)))(t, lnmu.ErrShape, c.says, c, "error")
	}
}

// A matrix whose lines a function reads has the factors of the matrix in memory.
func TestStoredFrom(t *testing.T) {
	for _, shape := range [][2]int{{40, 7}, {7, 40}} {
		m := lnmu.NewDense[float64](shape[0], shape[1], nil)
		for i := range m.Data {
			m.Data[i] = float64(i*i%11) / 10
		}
		lines := m
		if m.Rows < m.Cols {
			lines = m.Transposed()
		}
		var calls atomic.Int64
		stored := lnmu.StoredFrom(m.Rows, m.Cols, func(line int, to []float64) error {
			calls.Add(1)
			copy(to, lines.Row(line))
			return nil
		})
		must.Equal(t, stored.At(3, 5), m.At(3, 5), "entry (3, 5)")
		s := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 10}, Scratch: t.TempDir()}
		want, err := lnmu.Factor(t.Context(), m, 3, lnmu.GNMU{}, s)
		must.Do(t, err)
		got := must.Get(lnmu.Factor(t.Context(), stored, 3, lnmu.GNMU{}, s))(t)
		if factors.SHA256(got.V) != factors.SHA256(want.V) || factors.SHA256(got.W) != factors.SHA256(want.W) || calls.Load() == 0 {
			t.Errorf("%d x %d: other factors than in memory, after %d lines", m.Rows, m.Cols, calls.Load())
		}

		broken := errors.New("no such line")
		_, err = lnmu.Factor(t.Context(), lnmu.StoredFrom(m.Rows, m.Cols, func(line int, to []float64) error {
			if line == 2 {
				return broken
			}
			copy(to, lines.Row(line))
			return nil
		}), 3, lnmu.NMF{}, s)
		must.Fail(t, err, broken, "line 3 of M", "error")
	}
}

// errPanic is what countdown panics with.
var errPanic = errors.New("the reader panics")

func countdown(left *atomic.Int64) {
	if left.Add(-1) == 0 {
		panic(errPanic)
	}
}

// TestPanicOfReader: a panic in the caller's code reaches the caller with its value, whichever goroutine reads M, and no
// goroutine is left.
func TestPanicOfReader(t *testing.T) {
	leak.Check(t)
	m := lnmu.NewDense[float64](300, 40, nil)
	for i := range m.Data {
		m.Data[i] = float64(i*i%11) / 10
	}
	v, w := lnmutest.RandomStart[float64](m.Rows, m.Cols, 3, 1)
	for _, shape := range []struct {
		name string
		m    func(left *atomic.Int64) lnmu.Matrix[float64]
	}{
		{"tall", func(left *atomic.Int64) lnmu.Matrix[float64] {
			return lnmu.StoredFrom(m.Rows, m.Cols, func(line int, to []float64) error {
				countdown(left)
				copy(to, m.Row(line))
				return nil
			})
		}},
		{"wide", func(left *atomic.Int64) lnmu.Matrix[float64] {
			return lnmu.StoredFrom(m.Cols, m.Rows, func(line int, to []float64) error {
				countdown(left)
				copy(to, m.Row(line))
				return nil
			})
		}},
		{"sparse", func(left *atomic.Int64) lnmu.Matrix[float64] {
			c := lnmu.NewCSR(m)
			return lnmu.StoredCSRFrom(c.Cols, c.Ptr, func(first, last int) (lnmu.CSR[float64], error) {
				countdown(left)
				return (&lnmutest.RowsOfCSR[float64]{CSR: c}).ReadRows(first, last)
			})
		}},
	} {
		for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.KL{}, nil} {
			if _, absolute := method.(lnmu.RNMU); absolute && shape.name == "sparse" {
				continue
			}
			for _, at := range []int64{1, 2, 301, 650, 1000} {
				for _, threads := range []int{1, 3} {
					var left atomic.Int64
					left.Store(at)
					x, s := shape.m(&left), &lnmu.Settings{Limits: lnmu.Limits{Iterations: 10}, Start: lnmu.Start{Restarts: 1}, Threads: threads, Scratch: t.TempDir()}
					value := func() (value any) {
						defer func() { value = recover() }()
						if method == nil {
							rows, _ := x.Dims()
							a, b := v, w
							if rows < m.Rows {
								a, b = w.Transposed(), v.Transposed()
							}
							lnmu.Measure(x, a, b, s)
						} else {
							lnmu.Factor(t.Context(), x, 3, method, s)
						}
						return nil
					}()
					if read := left.Load() <= 0; read != (value != nil) || read && value != errPanic {
						t.Errorf("%s, %v, %d threads, read %d: panic %v", shape.name, method, threads, at, value)
					}
				}
			}
		}
	}
}
