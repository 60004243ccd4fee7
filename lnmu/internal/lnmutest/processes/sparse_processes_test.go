package processes

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/lnmutest"
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
	{"snmf", lnmu.SNMF{SparsityV: 0.6, SparsityW: 0.9}, 3, lnmu.Settings{Iterations: 8}},
	{"svd", lnmu.RNMU{}, 2, lnmu.Settings{Iterations: 3, Init: lnmu.InitSVD}},
	{"baseline", lnmu.NMF{}, 3, lnmu.Settings{Iterations: 3, Fixed: lnmu.Fixed{Baseline: true}}},
	{"kl", lnmu.KL{L2V: 0.3, L2W: 0.2}, 3, lnmu.Settings{Iterations: 4, Record: true, CheckEvery: 2}},
}

// TestProcessesSparse: the same of sparse matrices, with groups of slabs of which several
// processes have a part, and with fewer slabs than processes.
func TestProcessesSparse(t *testing.T) {
	sizes := []int{1, 2, 3, 7}
	if os.Getenv("NMU_FULL") == "" {
		sizes = sizes[3:]
	}
	t.Run("float64", func(t *testing.T) { testProcessesSparse[float64](t, sizes...) })
	t.Run("float32", func(t *testing.T) { testProcessesSparse[float32](t, 3) })
}

func testProcessesSparse[T lnmu.Float](t *testing.T, sizes ...int) {
	shapes := [][3]int{{1500, 60, 40000}, {3300, 3200, 20000}, {600, 900, 30000}, {3000, 3400, 20000}, {5, 3, 9}, {4, 6, 9}}
	turns := lnmutest.Rotate(len(sparseRuns), len(shapes), int(unsafe.Sizeof(T(0))/4))
	for i, shape := range shapes {
		m := scattered[T](shape[0], shape[1], shape[2])
		for at, c := range sparseRuns {
			if !turns.Takes(at, i) {
				continue
			}
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
		want := fault.ValueError{Matrix: "M", Row: 899, Col: int(m.Idx[m.Ptr[899]]), Value: -1}
		if wide {
			m = m.Transposed()
			want.Row, want.Col = want.Col, want.Row
		}
		together.Run(3, func(p *together.Process) {
			part := shareSparse(m, p)
			_, err := lnmu.Factor(t.Context(), part, 2, nil, nil)
			if entry := (*fault.ValueError)(nil); p.Rank() == 2 && (!errors.As(err, &entry) || *entry != want) || p.Rank() < 2 && !errors.Is(err, lnmu.ErrProcess) {
				t.Errorf("process %d: %v", p.Rank(), err)
			}
		})
	}
}

// TestProcessesSparseMissing: what a sparse matrix does not store may be missing where several
// processes have parts of it, in memory or in files.
func TestProcessesSparseMissing(t *testing.T) {
	fewBytes(t, 1)
	factor := func(m lnmu.CSR[float64], files bool, c run) cut[float64] {
		return func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
			part := shareSparse(m, p)
			if s.Scratch = t.TempDir(); files {
				_, part = shareStoredSparse(m, p)
			}
			return lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: part, StoredOnly: true}, c.rank, c.method, s)
		}
	}
	tall := lnmu.NewCSR(positive[float64](700, 30, 2))
	for i := range tall.Val { // more than half of them are stored
		if i%3 == 0 && i%7 != 0 {
			tall.Val[i] = 0
		}
	}
	tall = lnmu.NewCSR(tall.Dense())
	for _, m := range []lnmu.CSR[float64]{tall, tall.Transposed()} {
		for _, c := range []run{sparseRuns[0], sparseRuns[2], sparseRuns[3], sparseRuns[4], sparseRuns[6]} {
			c.settings.Restarts = 1
			whole, err := lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, StoredOnly: true}, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, files := range []bool{false, true} {
				parts := inParts(t, 3, &c.settings, factor(m, files, c))
				alike(t, fmt.Sprintf("%d x %d, %s, files %v", m.Rows, m.Cols, c.name, files), joined(t, m.Rows, m.Cols, parts), whole)
			}
		}
	}
	// A row or a column that stores nothing is one of M, not of a part.
	for name, without := range map[string]func(i, j int) bool{
		"row 651":   func(i, _ int) bool { return i == 650 },
		"column 17": func(_, j int) bool { return j == 16 },
	} {
		d := tall.Dense()
		for i := range d.Rows {
			for j := range d.Cols {
				if without(i, j) {
					d.Row(i)[j] = 0
				}
			}
		}
		m := lnmu.NewCSR(d)
		for _, m := range []lnmu.CSR[float64]{m, m.Transposed()} {
			says := name
			if m.Cols > m.Rows {
				says = map[string]string{"row 651": "column 651", "column 17": "row 17"}[name]
			}
			for _, files := range []bool{false, true} {
				c := run{"nmf", lnmu.NMF{}, 2, lnmu.Settings{}}
				_, one := lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, StoredOnly: true}, c.rank, c.method, &c.settings)
				errs := make([]error, 3)
				together.Run(3, func(p *together.Process) {
					s := c.settings
					_, errs[p.Rank()] = factor(m, files, c)(p, &s)
				})
				own := 0
				for rank, err := range errs {
					if err == nil || !strings.Contains(err.Error(), says+" of M has no observed entry") || !errors.Is(err, lnmu.ErrProcess) && err.Error() != one.Error() {
						t.Errorf("%s, files %v: process %d: %v; one process: %v", says, files, rank, err, one)
					}
					if !errors.Is(err, lnmu.ErrProcess) {
						own++
					}
				}
				if own == 0 {
					t.Errorf("%s, files %v: no process has an error of its own", says, files)
				}
			}
		}
	}
}
