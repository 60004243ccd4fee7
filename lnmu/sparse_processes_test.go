package lnmu_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/core"
)

// scattered is a sparse matrix with about so many entries, most of them in the first
// rows.
func scattered[T lnmu.Float](m, n, entries int) lnmu.CSR[T] {
	rng := rand.New(rand.NewPCG(8, uint64(m)))
	c := lnmu.CSR[T]{Rows: m, Cols: n, Ptr: make([]int, m+1)}
	for i := range m {
		each := 2 * entries * (m - i) / m / m // in this row
		step := max(1, 2*n/max(each, 1))      // at most, to the next one
		for j := rng.IntN(step); j < n; j += 1 + rng.IntN(step) {
			c.Idx = append(c.Idx, int32(j))
			c.Val = append(c.Val, T(1+i%3*(j%4))*T(0.5+rng.Float64()))
		}
		c.Ptr[i+1] = len(c.Val)
	}
	return c
}

// shareSparse is share of a sparse matrix.
func shareSparse[T lnmu.Float](m lnmu.CSR[T], p lnmu.Processes) lnmu.Part[T] {
	of := lnmu.Part[T]{Processes: p, Rows: m.Rows, Cols: m.Cols}
	first, last := lnmu.Share(m.Rows, m.Cols, p.Rank(), p.Size())
	wide := m.Cols > m.Rows
	if wide {
		m = m.Transposed()
	}
	from, to := m.Ptr[first], m.Ptr[last]
	part := lnmu.CSR[T]{Rows: last - first, Cols: m.Cols, Idx: m.Idx[from:to], Val: m.Val[from:to]}
	for _, at := range m.Ptr[first : last+1] {
		part.Ptr = append(part.Ptr, at-from)
	}
	if of.Matrix = part; wide {
		of.Matrix = part.Transposed()
	}
	return of
}

var sparseRuns = []run{
	{"nmf", lnmu.NMF{}, 3, lnmu.Settings{Iterations: 3}},
	{"nmf one", lnmu.NMF{}, 1, lnmu.Settings{Iterations: 3, Restarts: 2}},
	{"accelerated", lnmu.NMF{Solver: lnmu.SolverAccelerated}, 3, lnmu.Settings{Iterations: 4, Record: true, CheckEvery: 2}},
	{"gnmu", lnmu.GNMU{}, 2, lnmu.Settings{Iterations: 4, Restarts: 2}},
	{"rnmu", lnmu.RNMU{}, 2, lnmu.Settings{Iterations: 4, Tolerance: 1e-3, CheckEvery: 2}},
	{"rnmu admm", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 2}}, 2, lnmu.Settings{Iterations: 22}},
	{"rnmu blocks", lnmu.RNMU{Block: 2}, 3, lnmu.Settings{Iterations: 3, Init: lnmu.InitNested}},
}

// TestProcessesSparse: the same of sparse matrices, with groups of slabs of which several
// processes have a part, and with fewer slabs than processes.
func TestProcessesSparse(t *testing.T) {
	sizes := []int{1, 2, 3, 7}
	if testing.Short() {
		sizes = sizes[2:]
	}
	t.Run("float64", func(t *testing.T) { testProcessesSparse[float64](t, sizes...) })
	t.Run("float32", func(t *testing.T) { testProcessesSparse[float32](t, 3) })
}

func testProcessesSparse[T lnmu.Float](t *testing.T, sizes ...int) {
	for _, shape := range [][3]int{{1500, 60, 40000}, {3300, 3200, 20000}, {600, 900, 30000}, {3000, 3400, 20000}, {5, 3, 9}, {4, 6, 9}} {
		m := scattered[T](shape[0], shape[1], shape[2])
		for _, c := range sparseRuns {
			compareSparse(t, m, c, sizes...)
		}
	}
}

// compareSparse compares what processes find with what one finds.
func compareSparse[T lnmu.Float](t *testing.T, m lnmu.CSR[T], c run, sizes ...int) {
	t.Helper()
	c.settings.Restarts = cmp.Or(c.settings.Restarts, 1)
	whole, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		parts := inParts(t, size, &c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
			return lnmu.Factor(t.Context(), shareSparse(m, p), c.rank, c.method, s)
		})
		alike(t, fmt.Sprintf("%d x %d, %s, %d processes", m.Rows, m.Cols, c.name, size), joined(t, m.Rows, m.Cols, parts), whole)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// TestProcessesSparseLarge: a matrix of several blocks of columns, whose violation is a
// bound.
func TestProcessesSparseLarge(t *testing.T) {
	m := scattered[float64](24000, 23000, 400000)
	for _, m := range []lnmu.CSR[float64]{m, m.Transposed()} {
		for _, c := range []run{sparseRuns[0], sparseRuns[5]} {
			c.settings.Iterations = 1
			compareSparse(t, m, c, 3)
		}
	}
}

// TestProcessesSparseStart: a given start is shared out as M is.
func TestProcessesSparseStart(t *testing.T) {
	for _, shape := range [][3]int{{1500, 60, 40000}, {600, 900, 30000}} {
		m := scattered[float64](shape[0], shape[1], shape[2])
		start, err := lnmu.Factor(t.Context(), m, 3, lnmu.NMF{}, &lnmu.Settings{Iterations: 1, Restarts: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.RNMU{}} {
			settings := lnmu.Settings{Iterations: 2}
			want, err := lnmu.FactorFrom(t.Context(), m, start.V, start.W, method, &settings)
			if err != nil {
				t.Fatal(err)
			}
			parts := inParts(t, 3, &settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
				v, w := startOf(start.V, start.W, p)
				return lnmu.FactorFrom(t.Context(), shareSparse(m, p), v, w, method, s)
			})
			alike(t, fmt.Sprint(shape), joined(t, m.Rows, m.Cols, parts), want)
		}
	}
}

// TestProcessesSparseRefuse: what one process refuses, all of them do.
func TestProcessesSparseRefuse(t *testing.T) {
	for _, wide := range []bool{false, true} {
		m := scattered[float64](900, 20, 4000)
		m.Val[m.Ptr[899]] = -1
		want := core.ValueError{Matrix: "M", Row: 899, Col: int(m.Idx[m.Ptr[899]]), Value: -1}
		if wide {
			m = m.Transposed()
			want.Row, want.Col = want.Col, want.Row
		}
		together.Run(3, func(p *together.Process) {
			part := shareSparse(m, p)
			_, err := lnmu.Factor(t.Context(), part, 2, nil, nil)
			if entry := (*core.ValueError)(nil); p.Rank() == 2 && (!errors.As(err, &entry) || *entry != want) || p.Rank() < 2 && !errors.Is(err, lnmu.ErrProcess) {
				t.Errorf("process %d: %v", p.Rank(), err)
			}
			if _, err = lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: part, StoredOnly: true}, 2, nil, nil); !errors.Is(err, lnmu.ErrOption) && p.Rank() < 2 && !errors.Is(err, lnmu.ErrProcess) {
				t.Errorf("process %d takes missing entries: %v", p.Rank(), err)
			}
		})
	}
}
