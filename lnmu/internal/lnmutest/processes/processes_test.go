// Package processes tests that several processes have the results of one, bit for bit, and that an
// error of one ends all.
package processes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// run is a method with settings for processes.
type run struct {
	name     string
	method   lnmu.Method
	rank     int
	settings lnmu.Settings
}

var runs = []run{
	{"nmf", lnmu.NMF{}, 3, lnmu.Settings{Iterations: 4}},
	{"nmf one", lnmu.NMF{}, 1, lnmu.Settings{Iterations: 4, Restarts: 2}},
	{"accelerated", lnmu.NMF{Solver: lnmu.SolverAccelerated}, 3, lnmu.Settings{Iterations: 6, Record: true, CheckEvery: 2}},
	{"gnmu", lnmu.GNMU{}, 3, lnmu.Settings{Iterations: 4, Restarts: 2}},
	{"gnmu admm", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, 3, lnmu.Settings{Iterations: 11}},
	{"rnmu", lnmu.RNMU{}, 3, lnmu.Settings{Iterations: 5, Init: lnmu.InitNested, Tolerance: 1e-3, CheckEvery: 2}},
	{"rnmu admm", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, 2, lnmu.Settings{Iterations: 12}},
	{"rnmu admm rho", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 2}}, 2, lnmu.Settings{Iterations: 12}},
	{"rnmu blocks", lnmu.RNMU{Block: 2, Lagrangian: lnmu.Lagrangian{Multipliers: lnmu.MultipliersStart}}, 3, lnmu.Settings{Iterations: 4, Seed: 3}},
	{"vanishing", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepLength: func(k int) float64 {
		if k == 3 {
			return 1e9
		}
		return 1 / float64(k)
	}}}, 2, lnmu.Settings{Iterations: 5}},
	{"target", lnmu.RNMU{}, 3, lnmu.Settings{Iterations: 10, TargetError: 0.6}},
	{"kl", lnmu.KL{L2V: 0.3, L2W: 0.2}, 3, lnmu.Settings{Iterations: 6, Record: true, CheckEvery: 2}},
	{"kl coordinate", lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3, Solver: lnmu.SolverCoordinate}, 3, lnmu.Settings{Iterations: 4, Record: true, CheckEvery: 2}},
}

// TestProcesses: any number of processes, with and without slabs, find what one finds.
func TestProcesses(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testProcesses[float64](t, 1, 2, 3, 4, 7) })
	t.Run("float32", func(t *testing.T) { testProcesses[float32](t, 3) })
}

func testProcesses[T lnmu.Float](t *testing.T, sizes ...int) {
	turns := lnmutest.Rotate(len(runs), 2, int(unsafe.Sizeof(T(0))/4))
	for at, shape := range [][2]int{{1500, 7}, {9, 800}, {3000, 20}, {5, 3}} {
		m := positive[T](shape[0], shape[1], 3)
		for i, c := range runs {
			if !turns.Takes(i, at) {
				continue
			}
			c.settings.Restarts = cmp.Or(c.settings.Restarts, 1)
			whole, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range sizes {
				name := fmt.Sprintf("%d x %d, %s, %d processes", shape[0], shape[1], c.name, size)
				parts := factorParts(t, m, size, &c.settings, func(_ lnmu.Processes, part lnmu.Part[T], s *lnmu.Settings) (*lnmu.Result[T], error) {
					return lnmu.Factor(t.Context(), part, c.rank, c.method, s)
				})
				alike(t, name, joined(t, m.Rows, m.Cols, parts), whole)
			}
		}
	}
}

// TestProcessesStart: a given start is shared out as M is.
func TestProcessesStart(t *testing.T) {
	for _, shape := range [][2]int{{700, 6}, {6, 700}} {
		m := positive[float64](shape[0], shape[1], 3)
		start, err := lnmu.Factor(t.Context(), m, 3, lnmu.NMF{}, &lnmu.Settings{Iterations: 1, Restarts: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.RNMU{}} {
			settings := lnmu.Settings{Iterations: 3}
			want, err := lnmu.FactorFrom(t.Context(), m, start.V, start.W, method, &settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{2, 5, 9} {
				parts := factorParts(t, m, size, &settings, func(p lnmu.Processes, part lnmu.Part[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
					v, w := startOf(start.V, start.W, p)
					return lnmu.FactorFrom(t.Context(), part, v, w, method, s)
				})
				alike(t, fmt.Sprint(shape, size), joined(t, m.Rows, m.Cols, parts), want)
			}
		}
	}
}

// TestProcessesNothing: M = 0 of several processes.
func TestProcessesNothing(t *testing.T) {
	m := lnmu.NewDense[float64](300, 4, nil)
	parts := factorParts(t, m, 3, &lnmu.Settings{}, func(_ lnmu.Processes, part lnmu.Part[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(t.Context(), part, 2, nil, s)
	})
	if res := joined(t, 300, 4, parts); res.Stop != lnmu.StopExact || res.RelativeError != 0 {
		t.Errorf("%+v", res)
	}
}

// TestProcessesRefuse: what one process refuses, all of them do, and say who has.
func TestProcessesRefuse(t *testing.T) {
	good := positive[float64](900, 4, 2)
	wide := positive[float64](4, 900, 2)
	negative, large := wide.Transposed(), wide.Transposed()
	negative.Data[899*4+2] = -1
	large.Data[300*4+1] = 1e200
	long, short := good.Transposed(), good.Transposed() // with a row that the parts of it do not show
	for i := range 900 {
		long.Row(1)[i], short.Row(1)[i] = 6e152, 1e-200
	}
	const size = 4
	for name, c := range map[string]struct {
		m      lnmu.Dense[float64]
		who    int // -1: all
		change func(p lnmu.Processes, m *lnmu.Dense[float64], part *lnmu.Part[float64], method *lnmu.Method, s *lnmu.Settings)
		target error
		says   string
	}{
		"negative entry":       {m: negative, who: 3, target: lnmu.ErrValue, says: "row 900, column 3 of M = -1 is negative"},
		"negative entry, wide": {m: negative.Transposed(), who: 3, target: lnmu.ErrValue, says: "row 3, column 900 of M = -1 is negative"},
		"large row, wide":      {m: long, who: -1, target: lnmu.ErrValue, says: "the squares of row 2 of M overflow"},
		"small row, wide":      {m: short, who: -1, target: lnmu.ErrValue, says: "the squares of row 2 of M underflow"},
		"large entry":          {m: large, who: 1, target: lnmu.ErrValue, says: "row 301 of M overflow"},
		"another place": {good, 2, func(p lnmu.Processes, m *lnmu.Dense[float64], part *lnmu.Part[float64], _ *lnmu.Method, _ *lnmu.Settings) {
			if p.Rank() == 2 {
				part.Rows += 300
			}
		}, lnmu.ErrShape, "Share"},
		"another length": {good, 0, func(p lnmu.Processes, m *lnmu.Dense[float64], part *lnmu.Part[float64], _ *lnmu.Method, s *lnmu.Settings) {
			if p.Rank() == 0 {
				m.Rows--
				part.Matrix = nil
			}
		}, lnmu.ErrShape, "Share"},
		"another width": {good, 1, func(p lnmu.Processes, m *lnmu.Dense[float64], part *lnmu.Part[float64], _ *lnmu.Method, s *lnmu.Settings) {
			if p.Rank() == 1 {
				m.Cols--
				part.Matrix = nil
			}
		}, lnmu.ErrShape, "Share"},
		"rows of a wide matrix": {wide, -1, func(_ lnmu.Processes, _ *lnmu.Dense[float64], part *lnmu.Part[float64], _ *lnmu.Method, s *lnmu.Settings) {
			part.Rows, part.Cols = part.Cols, part.Rows
		}, lnmu.ErrShape, ""},
		"no size": {good, -1, func(_ lnmu.Processes, _ *lnmu.Dense[float64], part *lnmu.Part[float64], _ *lnmu.Method, _ *lnmu.Settings) {
			part.Rows, part.Cols = 0, 0
		}, lnmu.ErrShape, "Part.Rows"},
		"other settings": {good, 3, func(p lnmu.Processes, _ *lnmu.Dense[float64], _ *lnmu.Part[float64], _ *lnmu.Method, s *lnmu.Settings) {
			if p.Rank() == 3 {
				s.Seed = 7
			}
		}, lnmu.ErrOption, "all processes the same"},
	} {
		errs := make([]error, size)
		together.Run(size, func(p *together.Process) {
			m, part := lines(c.m, p), share(c.m, p)
			s := lnmu.Settings{Iterations: 2}
			method := lnmu.Method(lnmu.RNMU{})
			if c.change != nil {
				if c.change(p, &m, &part, &method, &s); part.Matrix == nil {
					part.Matrix = m
				}
			}
			_, errs[p.Rank()] = lnmu.Factor(t.Context(), part, 2, method, &s)
		})
		for rank, err := range errs {
			if own := c.who < 0 || rank == c.who; !errors.Is(err, c.target) && own || errors.Is(err, lnmu.ErrProcess) == own {
				t.Errorf("%s: process %d: %v", name, rank, err)
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: process %d says %q, not %q", name, rank, err, c.says)
			}
		}
	}
	if _, err := lnmu.Factor(t.Context(), lnmu.Part[float64]{Matrix: good, Rows: 900, Cols: 4}, 2, nil, nil); !errors.Is(err, lnmu.ErrOption) {
		t.Errorf("a part without processes: %v", err)
	}
}

// TestProcessesEnd: process 0 decides when the work is over, whatever the others are
// told, and all have the same by then. It is asked in every pass.
func TestProcessesEnd(t *testing.T) {
	m := positive[float64](900, 5, 3)
	const size = 3
	counted := func(n int, then func()) func(int) {
		return func(int) {
			if n--; n == 0 {
				then()
			}
		}
	}
	steps := func(at func(k int)) lnmu.Lagrangian {
		return lnmu.Lagrangian{StepLength: func(k int) float64 { at(k); return 1 / float64(k) }}
	}
	for name, c := range map[string]struct {
		method   func(at func(k int)) lnmu.Method // which calls at before the passes of iteration k
		one, all int                              // the call that ends one process, and process 0
	}{
		"rnmu": {func(at func(int)) lnmu.Method { return lnmu.RNMU{Lagrangian: steps(at)} }, 8, 8},
		"gnmu": {func(at func(int)) lnmu.Method { return lnmu.GNMU{Lagrangian: steps(at)} }, 5, 5},
		"nmf":  {nil, 5, 4}, // it is not asked between the last pass of an iteration and its end
	} {
		run := func(ctx context.Context, m lnmu.Matrix[float64], s lnmu.Settings, at func(k int)) (*lnmu.Result[float64], error) {
			s.Iterations, s.Restarts = 6, 1
			method := lnmu.Method(lnmu.NMF{Solver: lnmu.SolverAccelerated})
			if c.method == nil {
				s.Iterated = at
			} else {
				method = c.method(at)
			}
			return lnmu.Factor(ctx, m, 3, method, &s)
		}
		ctx, cancel := context.WithCancel(t.Context())
		want, err := run(ctx, m, lnmu.Settings{}, counted(c.one, cancel))
		if !errors.Is(err, context.Canceled) || want == nil {
			t.Fatal(err)
		}
		for _, size := range []int{2, size} {
			parts, errs := make([]*lnmu.Result[float64], size), make([]error, size)
			together.Run(size, func(p *together.Process) {
				part := share(m, p)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				count := func(int) {}
				switch p.Rank() {
				case 0:
					count = counted(c.all, cancel)
				case 1:
					cancel()
				}
				parts[p.Rank()], errs[p.Rank()] = run(ctx, part, lnmu.Settings{}, count)
			})
			for rank, err := range errs {
				if !errors.Is(err, context.Canceled) && rank < 2 || rank == 2 && !errors.Is(err, lnmu.ErrProcess) {
					t.Errorf("%s, %d processes: process %d: %v", name, size, rank, err)
				}
			}
			alike(t, fmt.Sprintf("%s, %d processes", name, size), joined(t, m.Rows, m.Cols, parts), want)
		}
	}

	// A time limit that is over at once, which only process 0 has.
	parts := factorParts(t, m, size, &lnmu.Settings{Iterations: 1e9}, func(p lnmu.Processes, part lnmu.Part[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
		if s.TimeLimit = time.Hour; p.Rank() == 0 {
			s.TimeLimit = 1
		}
		return lnmu.Factor(t.Context(), part, 2, lnmu.GNMU{}, s)
	})
	if res := joined(t, m.Rows, m.Cols, parts); res.Stop != lnmu.StopTime {
		t.Errorf("it stops with %s", res.Stop)
	}
}

// TestProcessesProgress: process 0 shows progress, whose errors need all of them.
func TestProcessesProgress(t *testing.T) {
	m := positive[float64](900, 5, 3)
	shown := make([]int, 3)
	factorParts(t, m, len(shown), &lnmu.Settings{Iterations: 1e9, Restarts: 1}, func(p lnmu.Processes, part lnmu.Part[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.Progress = func(now lnmu.Progress) {
			if !(now.RelativeError > 0 && now.RelativeError < 1) {
				t.Errorf("%+v", now)
			}
			if shown[p.Rank()]++; shown[p.Rank()] == 2 {
				cancel()
			}
		}
		res, err := lnmu.Factor(ctx, part, 2, lnmu.GNMU{}, s)
		if err == nil {
			t.Errorf("process %d has come to an end", p.Rank())
		}
		return res, nil
	})
	if !slices.Equal(shown, []int{2, 0, 0}) {
		t.Errorf("progress was shown %v times", shown)
	}
}
