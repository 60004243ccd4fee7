package processes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/together"
	"nmu/lnmu"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/lnmutest"
)

// wholeRuns are runs whose steps look at whole factors, or at whole columns of M, for an m x n
// matrix.
func wholeRuns(m, n int) []run {
	v, w := lnmu.Shape{Height: m, Width: 1}, lnmu.Shape{Height: 1, Width: n}
	if m%4 == 0 {
		v = lnmu.Shape{Height: m / 4, Width: 4}
	}
	known := lnmu.Fixed{V: lnmu.NewDense[float64](m, 1, nil), W: lnmu.NewDense[float64](1, n, nil)}
	for i := range m {
		known.V.Data[i] = float64(i%3) / 4
	}
	for j := range n {
		known.W.Data[j] = float64(1 + j%5)
	}
	fast := lnmu.SolverAccelerated
	long := lnmu.Lagrangian{StepLength: func(int) float64 { return 30 }} // factors vanish, and come back
	exact := func(way lnmu.Feasible, steps int) lnmu.Lagrangian {
		return lnmu.Lagrangian{Feasible: way, ExactSteps: steps}
	}
	return []run{
		{"priors", lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.3, PenaltyW: 0.1}}, 3, lnmu.Settings{Iterations: 5}},
		{"target sparsities", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Multipliers: lnmu.MultipliersStart}, Priors: lnmu.Priors{SparsityV: 0.5, SparsityW: 0.6}}, 2, lnmu.Settings{Iterations: 7, Restarts: 2}},
		{"smooth", lnmu.RNMU{Priors: lnmu.Priors{SmoothV: 0.3, ShapeV: v, SmoothW: 0.05, ShapeW: w, PenaltyV: 0.1, SparsityW: 0.4}}, 2, lnmu.Settings{Iterations: 4}},
		{"penalties beyond all", lnmu.RNMU{Lagrangian: long, Priors: lnmu.Priors{PenaltyV: 1, PenaltyW: 1}}, 2, lnmu.Settings{Iterations: 4}},
		{"exact, final", lnmu.GNMU{Lagrangian: exact(lnmu.FeasibleFinal, 4)}, 3, lnmu.Settings{Iterations: 6, Restarts: 2}},
		{"exact, each", lnmu.RNMU{Lagrangian: exact(lnmu.FeasibleEach, 3)}, 3, lnmu.Settings{Iterations: 5}},
		{"exact blocks", lnmu.RNMU{Block: 2, Lagrangian: exact(lnmu.FeasibleEach, 2)}, 3, lnmu.Settings{Iterations: 5, Init: lnmu.InitSVD}},
		{"exact, final, of all", lnmu.RNMU{Lagrangian: exact(lnmu.FeasibleFinal, 1)}, 3, lnmu.Settings{Iterations: 4}},
		{"l1", lnmu.RNMU{Norm: lnmu.L1}, 2, lnmu.Settings{Iterations: 5}},
		{"l1 vanishing", lnmu.RNMU{Norm: lnmu.L1, Lagrangian: long}, 2, lnmu.Settings{Iterations: 5}},
		{"snmf", lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.3}, 3, lnmu.Settings{Iterations: 8}},
		{"snmf revived", lnmu.SNMF{SparsityV: 0.99, SparsityW: 0.99}, 3, lnmu.Settings{Iterations: 90}},
		{"snmf one", lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3}, 1, lnmu.Settings{Iterations: 5}},
		{"snmf accelerated", lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3, Solver: fast}, 3, lnmu.Settings{Iterations: 9}},
		{"hoyer", lnmu.Hoyer{SparsenessV: 0.5, SparsenessW: 0.4}, 3, lnmu.Settings{Iterations: 6, Restarts: 2}},
		{"hoyer, V", lnmu.Hoyer{SparsenessV: 0.5}, 3, lnmu.Settings{Iterations: 6, Init: lnmu.InitSVD}},
		{"svd", lnmu.NMF{}, 3, lnmu.Settings{Iterations: 3, Init: lnmu.InitSVD}},
		{"rnmu svd", lnmu.RNMU{}, 3, lnmu.Settings{Iterations: 3, Init: lnmu.InitSVD}},
		{"fixed", lnmu.NMF{}, 3, lnmu.Settings{Iterations: 4, Fixed: known}},
		{"fixed one by one", lnmu.RNMU{}, 3, lnmu.Settings{Iterations: 4, Fixed: lnmu.Fixed{V: known.V, Baseline: true}}},
		{"baseline with priors", lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.1}}, 2, lnmu.Settings{Iterations: 4, Fixed: lnmu.Fixed{Baseline: true}}},
		{"baseline admm", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, 3, lnmu.Settings{Iterations: 4, Fixed: lnmu.Fixed{Baseline: true}}},
	}
}

// smallPanels lets panels of columns have at most so many bytes, or one column.
func smallPanels(t *testing.T, bytes int) {
	old := block.ChunkBytes
	block.ChunkBytes = bytes
	t.Cleanup(func() { block.ChunkBytes = old })
}

// ill are matrices that have little to find in them.
func ill[T lnmu.Float]() map[string]lnmu.Dense[T] {
	zeros := positive[T](700, 9, 2)
	for i := range 350 { // whole slabs, and those of whole processes
		clear(zeros.Row(i + 350))
	}
	for i := range zeros.Rows {
		zeros.Row(i)[4] = 0
	}
	one := lnmu.NewDense[T](300, 5, nil)
	one.Row(299)[3] = 2
	twins := positive[T](6, 400, 2)
	for i := range 5 {
		copy(twins.Row(i+1), twins.Row(0))
	}
	return map[string]lnmu.Dense[T]{"zeros": zeros, "wide zeros": zeros.Transposed(), "one entry": one, "equal rows": twins, "all zero": lnmu.NewDense[T](5, 300, nil)}
}

// TestWholeFactors: what looks at whole factors, or at whole columns of M, has on several
// processes, some of them without rows, the bits of one process.
func TestWholeFactors(t *testing.T) {
	sizes := []int{5, 2, 3}
	if os.Getenv("NMU_FULL") == "" {
		sizes = sizes[:1]
	}
	t.Run("float64", func(t *testing.T) { wholeFactors[float64](t, sizes...) })
	t.Run("float32", func(t *testing.T) { wholeFactors[float32](t, 3) })
}

func wholeFactors[T lnmu.Float](t *testing.T, sizes ...int) {
	all := map[string]lnmu.Dense[T]{"tall": positive[T](1500, 7, 3), "wide": positive[T](9, 800, 3), "small": positive[T](40, 30, 4)}
	if os.Getenv("NMU_FULL") != "" {
		maps.Copy(all, ill[T]())
	}
	for at, name := range slices.Sorted(maps.Keys(all)) {
		m := all[name]
		cases := wholeRuns(m.Rows, m.Cols)
		turns := lnmutest.Rotate(len(cases), len(all), int(unsafe.Sizeof(T(0))/4)-1)
		for i, c := range cases {
			if !turns.Takes(i, at) {
				continue
			}
			c.settings.Restarts = max(c.settings.Restarts, 1)
			want, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, c.name, err)
			}
			if c.name == "snmf revived" && want.Revived == 0 && name == "tall" {
				t.Error("no factor vanished")
			}
			for k, size := range sizes {
				smallPanels(t, []int{1, 1 << 20}[(i+k)%2])
				parts := factorParts(t, m, size, &c.settings, func(_ lnmu.Processes, part lnmu.Part[T], s *lnmu.Settings) (*lnmu.Result[T], error) {
					return lnmu.Factor(t.Context(), part, c.rank, c.method, s)
				})
				alike(t, fmt.Sprintf("%s, %s, %d processes", name, c.name, size), joined(t, m.Rows, m.Cols, parts), want)
				c.settings.Scratch = t.TempDir()
				parts = inParts(t, size, &c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[T], error) {
					return lnmu.Factor(t.Context(), partOf(m, p, true), c.rank, c.method, s)
				})
				alike(t, fmt.Sprintf("%s, %s, %d processes with files", name, c.name, size), joined(t, m.Rows, m.Cols, parts), want)
			}
		}
	}
}

// reading is a stored matrix, or a part of one: columns if M is wide.
type reading[T lnmu.Float] struct {
	lnmu.Dense[T]
	wide bool
}

// width returns the length of a line.
func (r reading[T]) width() int {
	if r.wide {
		return r.Rows
	}
	return r.Cols
}

func (r reading[T]) Room(n int) int { return n * r.width() }

func (r reading[T]) ReadLines(room []T, first, last int) ([]T, error) {
	x := room[:0]
	for i := first; i < last; i++ {
		for k := range r.width() {
			if r.wide {
				x = append(x, r.At(k, i))
			} else {
				x = append(x, r.At(i, k))
			}
		}
	}
	return x, nil
}

// partOf returns the part of m that a process has, in memory or in files.
func partOf[T lnmu.Float](m lnmu.Dense[T], p lnmu.Processes, files bool) lnmu.Part[T] {
	part := share(m, p)
	if files {
		part.Matrix = reading[T]{lines(m, p), m.Cols > m.Rows}
	}
	return part
}

// TestWholeFactorsIncomplete: so have those of a matrix of which entries are missing or have
// weights.
func TestWholeFactorsIncomplete(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("many runs of several processes: with NMU_FULL only")
	}
	t.Run("float64", wholeFactorsIncomplete[float64])
	t.Run("float32", wholeFactorsIncomplete[float32])
}

func wholeFactorsIncomplete[T lnmu.Float](t *testing.T) {
	shapes, compared := [][2]int{{500, 7}, {9, 500}, {40, 30}}, map[string]int{}
	for at, shape := range shapes {
		m := positive[T](shape[0], shape[1], 3)
		all := incompletes(shape[0], shape[1])
		for k, which := range slices.Sorted(maps.Keys(all)) {
			seen, cases := all[which], wholeRuns(shape[0], shape[1])
			turns, halves := lnmutest.Rotate(len(cases), len(shapes), k), lnmutest.Rotate(len(cases), 2, int(unsafe.Sizeof(T(0))/4))
			for i, c := range cases {
				if !turns.Takes(i, at) || !halves.Takes(i, k) {
					continue
				}
				s := seen
				s.Settings, s.MissingSolver = c.settings, seen.MissingSolver
				s.Restarts, s.Iterations = max(s.Restarts, 1), min(s.Iterations, 8)
				want, err := lnmu.Factor(t.Context(), observing[T](m, s), c.rank, c.method, &s.Settings)
				if errors.Is(err, lnmu.ErrOption) { // they do not go together
					continue
				}
				if err != nil {
					t.Fatalf("%v, %s, %s: %v", shape, which, c.name, err)
				}
				compared[which]++
				size, files := 2+i%4, i%3 > 0
				smallPanels(t, []int{1, 1 << 20}[i%2])
				s.Scratch = t.TempDir()
				parts := inParts(t, size, &s.Settings, func(p lnmu.Processes, of *lnmu.Settings) (*lnmu.Result[T], error) {
					own, x := s, partOf(m, p, files)
					shareMissing(&own, p)
					x.Matrix = observing(x.Matrix, own)
					return lnmu.Factor(t.Context(), x, c.rank, c.method, of)
				})
				alike(t, fmt.Sprintf("%v, %s, %s, %d processes, files %v", shape, which, c.name, size, files), joined(t, m.Rows, m.Cols, parts), want)
			}
		}
	}
	for which, runs := range compared {
		if runs < 4 {
			t.Errorf("%s: %d runs", which, runs)
		}
	}
}

// TestWholeFactorsStored: they have in files the bits of M in memory.
func TestWholeFactorsStored(t *testing.T) {
	all := ill[float64]()
	all["tall"], all["wide"], all["small"] = positive[float64](300, 7, 3), positive[float64](9, 200, 3), positive[float64](40, 30, 4)
	for at, name := range slices.Sorted(maps.Keys(all)) {
		m := all[name]
		cases := wholeRuns(m.Rows, m.Cols)
		turns := lnmutest.Rotate(len(cases), len(all), 0)
		for i, c := range cases {
			if !turns.Takes(i, at) {
				continue
			}
			smallPanels(t, []int{20, 4000, 1 << 20}[i%3])
			c.settings.Restarts = max(c.settings.Restarts, 1)
			want, err := lnmu.Factor(t.Context(), m, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, c.name, err)
			}
			c.settings.Scratch, c.settings.Threads = t.TempDir(), 1+i%3
			got, err := lnmu.Factor(t.Context(), reading[float64]{m, m.Cols > m.Rows}, c.rank, c.method, &c.settings)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, c.name, err)
			}
			alike(t, name+", "+c.name, got, want)
		}
	}
}

// TestWholeFactorsCheckpoint: their states are those of one process, and any number of
// processes goes on from them.
func TestWholeFactorsCheckpoint(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("each state is resumed by other numbers of processes: with NMU_FULL only")
	}
	for at, shape := range [][2]int{{500, 7}, {9, 500}} {
		m := positive[float64](shape[0], shape[1], 3)
		cases := wholeRuns(m.Rows, m.Cols)
		turns := lnmutest.Rotate(len(cases), 2, 0)
		for i, c := range cases {
			if c.settings.Iterations > 20 || !turns.Takes(i, at) {
				continue
			}
			compareStates(t, fmt.Sprintf("%v, %s", shape, c.name), m.Rows, m.Cols, c.settings, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
				files := i%4 < 2
				s.Scratch = t.TempDir()
				switch {
				case p != nil:
					return lnmu.Factor(t.Context(), partOf(m, p, files), c.rank, c.method, s)
				case files:
					return lnmu.Factor(t.Context(), reading[float64]{m, m.Cols > m.Rows}, c.rank, c.method, s)
				}
				return lnmu.Factor(t.Context(), m, c.rank, c.method, s)
			})
		}
	}
}

// TestImproveTogether: Improve rounds by the largest entries of whole factors.
func TestImproveTogether(t *testing.T) {
	for _, shape := range [][2]int{{700, 6}, {6, 700}} {
		m := positive[float64](shape[0], shape[1], 3)
		start, err := lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Iterations: 9, Restarts: 1})
		if err != nil {
			t.Fatal(err)
		}
		long := start.V
		if shape[1] > shape[0] {
			long = start.W
		}
		for i := range long.Rows { // a large entry makes others negligible, those of other processes too
			for k, x := range long.Row(i) {
				long.Row(i)[k] = x * x * x
			}
		}
		settings := lnmu.Settings{Iterations: 4}
		want, err := lnmu.Improve(t.Context(), m, start.V, start.W, lnmu.NMF{}, &settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{2, 5} {
			parts := factorParts(t, m, size, &settings, func(p lnmu.Processes, part lnmu.Part[float64], s *lnmu.Settings) (*lnmu.Result[float64], error) {
				v, w := startOf(start.V, start.W, p)
				return lnmu.Improve(t.Context(), part, v, w, lnmu.NMF{}, s)
			})
			alike(t, fmt.Sprint(shape, size), joined(t, m.Rows, m.Cols, parts), want)
		}
		errs := make([]error, 3)
		together.Run(3, func(p *together.Process) {
			rows, cols := lines(m, p).Dims()
			v, w := lnmu.NewDense[float64](rows, 2+p.Rank()%2, nil), lnmu.NewDense[float64](2+p.Rank()%2, cols, nil)
			_, errs[p.Rank()] = lnmu.Improve(t.Context(), share(m, p), v, w, lnmu.NMF{}, nil)
		})
		for rank, err := range errs {
			if !errors.Is(err, []error{lnmu.ErrProcess, lnmu.ErrOption, lnmu.ErrProcess}[rank]) {
				t.Errorf("other ranks: process %d: %v", rank, err)
			}
		}
	}
}

// TestWholeFactorsCancelled: wherever process 0 is cancelled, all processes end together,
// with factors that belong together.
func TestWholeFactorsCancelled(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("runs end at many places: with NMU_FULL only")
	}
	for at, m := range []lnmu.Dense[float64]{positive[float64](700, 6, 3), positive[float64](6, 700, 3)} {
		smallPanels(t, 1)
		cases := wholeRuns(m.Rows, m.Cols)
		turns := lnmutest.Rotate(len(cases), 2, 0)
		for i, c := range cases {
			if c.settings.Iterations > 20 || !turns.Takes(i, at) {
				continue
			}
			files := (at+i/2)%2 > 0
			c.settings.Scratch = t.TempDir()
			c.settings.Restarts = 1
			asks := func(ctx *lnmutest.Countdown) (parts []*lnmu.Result[float64], errs []error) {
				parts, errs = make([]*lnmu.Result[float64], 3), make([]error, 3)
				together.Run(3, func(p *together.Process) {
					s := c.settings
					s.Threads = 2
					of := context.Context(ctx)
					if p.Rank() > 0 {
						of = t.Context()
					}
					parts[p.Rank()], errs[p.Rank()] = lnmu.Factor(of, partOf(m, p, files), c.rank, c.method, &s)
				})
				return parts, errs
			}
			whole := lnmutest.NewCountdown(math.MaxInt64)
			if _, errs := asks(whole); errors.Join(errs...) != nil {
				t.Fatalf("%s: %v", c.name, errors.Join(errs...))
			}
			all, points := whole.Asked.Load(), int64(4)
			if os.Getenv("NMU_FULL") != "" {
				points = 9
			}
			for k := int64(1); k < all; k += 1 + all/points {
				parts, errs := asks(lnmutest.NewCountdown(k))
				if k > all-3 && errors.Join(errs...) == nil {
					continue // the last answer came with the last sums, after which nothing was left to do
				}
				if !errors.Is(errs[0], context.Canceled) || !errors.Is(errs[1], lnmu.ErrProcess) || !errors.Is(errs[2], lnmu.ErrProcess) {
					t.Fatalf("%s cancelled at %d of %d: %v", c.name, k, all, errs)
				}
				res := joined(t, m.Rows, m.Cols, parts)
				if res.V.Cols == 0 {
					continue
				}
				of, err := lnmu.Measure(m, res.V, res.W, nil)
				if err != nil || math.Abs(of.RelativeError-res.RelativeError) > 1e-9 {
					t.Errorf("%s cancelled at %d of %d: error %v, said to be %v: %v", c.name, k, all, of.RelativeError, res.RelativeError, err)
				}
				for _, b := range res.Blocks {
					if b.Exact != nil && res.MaxViolation > 0 && c.name != "exact blocks" {
						t.Errorf("%s cancelled at %d of %d: exceeded by %v after exact steps", c.name, k, all, res.MaxViolation)
					}
				}
			}
		}
	}
}
