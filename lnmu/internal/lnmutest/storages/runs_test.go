package storages

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/internal/lnmutest"
)

// run is a method with its options and settings.
type run struct {
	name     string
	method   lnmu.Method
	rank     int
	settings lnmu.Settings
	given    string // "start": a given one, "improve": Improve
}

// runs returns the runs of an m x n matrix: each option of each method, each start and each end.
func runs(m, n int) []run {
	v, w := [2]int{m, 1}, [2]int{1, n}
	if m%4 == 0 {
		v = [2]int{m / 4, 4}
	}
	type (
		lagrangian = lnmu.GNMU
		settings   = lnmu.Settings
	)
	known := settings{FixedV: lnmu.NewDense[float64](m, 1, nil), FixedW: lnmu.NewDense[float64](1, n, nil)}
	for i := range m {
		known.FixedV.Data[i] = float64(i%3) / 4
	}
	for j := range n {
		known.FixedW.Data[j] = float64(1 + j%5)
	}
	long := lagrangian{StepLength: func(int) float64 { return 30 }} // factors vanish, and come back
	halved := lagrangian{StepLength: func(k int) float64 { return []float64{1, .5, 1e9, .1, .1, .1, .1, .1}[k%8] }}
	exact := func(way lnmu.Choice, steps int) lagrangian { return lagrangian{Feasible: way, FeasibleSteps: steps} }
	admm := func(rho float64, steps int) lagrangian {
		return lagrangian{Solver: lnmu.SolverADMM, Rho: rho, Inner: steps, ResidualTolerance: 1e-300}
	}
	return []run{
		{"nmf", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"nmf one", lnmu.NMF{}, 1, settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Restarts: 2}}, ""},
		{"nmf, sums", lnmu.NMF{SumToOneW: true}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"nmf, sums of V", lnmu.NMF{SumToOneV: true}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"nmf, l2", lnmu.NMF{L2V: 0.3, L2W: 0.2}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Seed: 2}}, ""},
		{"nmf, tolerance", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, settings{Limits: lnmu.Limits{Iterations: 40, Tolerance: 1e-3, CheckEvery: 3}}, ""},
		{"nmf, target", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, settings{Limits: lnmu.Limits{Iterations: 30, TargetError: 0.3, CheckEvery: 2}}, ""},
		{"accelerated", lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 3}, 3, settings{Limits: lnmu.Limits{Iterations: 6, CheckEvery: 2}, Record: true}, ""},
		{"svd", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, settings{Limits: lnmu.Limits{Iterations: 3}, Start: lnmu.Start{Init: lnmu.InitSVD}}, ""},
		{"fixed", lnmu.NMF{Solver: lnmu.SolverHALS}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, FixedV: known.FixedV, FixedW: known.FixedW}, ""},
		{"from", lnmu.NMF{}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, "start"},
		{"improve", lnmu.NMF{}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, "improve"},
		{"kl", lnmu.KL{L2V: 0.3, L2W: 0.2}, 3, settings{Limits: lnmu.Limits{Iterations: 6, CheckEvery: 2}, Record: true}, ""},
		{"kl, penalties", lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Restarts: 2}}, ""},
		{"kl coordinate", lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.2, L2W: 0.3, Solver: lnmu.SolverCoordinate}, 3, settings{Limits: lnmu.Limits{Iterations: 4, CheckEvery: 2}, Record: true}, ""},
		{"snmf", lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.3}, 3, settings{Limits: lnmu.Limits{Iterations: 8}}, ""},
		{"snmf revived", lnmu.SNMF{SparsityV: 0.99, SparsityW: 0.99}, 3, settings{Limits: lnmu.Limits{Iterations: 90}}, ""},
		{"snmf one", lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2, L2V: 0.3, Solver: lnmu.SolverHALS}, 1, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"snmf beyond all", lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"snmf accelerated", lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.2, L2W: 0.3, Solver: lnmu.SolverAccelerated, Sweeps: 2}, 3, settings{Limits: lnmu.Limits{Iterations: 9}}, ""},
		{"hoyer", lnmu.Hoyer{HoyerV: 0.5, HoyerW: 0.4}, 3, settings{Limits: lnmu.Limits{Iterations: 6}, Start: lnmu.Start{Restarts: 2}}, ""},
		{"hoyer, V", lnmu.Hoyer{HoyerV: 0.5}, 3, settings{Limits: lnmu.Limits{Iterations: 6}, Start: lnmu.Start{Init: lnmu.InitSVD}}, ""},
		{"gnmu", lnmu.GNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Restarts: 2}}, ""},
		{"gnmu, start", lnmu.GNMU{Multipliers: lnmu.MultipliersStart, Sweeps: 2}, 3, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"gnmu, steps", lnmu.GNMU{Inner: 3, StepOffset: 1}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Init: lnmu.InitSVD}}, ""},
		{"gnmu halved", halved, 2, settings{Limits: lnmu.Limits{Iterations: 8}}, ""},
		{"gnmu vanishing", long, 3, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"gnmu, zeros", lnmu.GNMU{ZeroMultiplier: func(int) float64 { return 0 }}, 2, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"gnmu exact", exact(lnmu.FeasibleFinal, 4), 3, settings{Limits: lnmu.Limits{Iterations: 6}, Start: lnmu.Start{Restarts: 2}}, ""},
		{"gnmu admm", admm(4, 2), 3, settings{Limits: lnmu.Limits{Iterations: 11}}, ""},
		{"baseline admm", lnmu.GNMU{Solver: lnmu.SolverADMM}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, Baseline: true}, ""},
		{"rnmu", lnmu.RNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 5, Tolerance: 1e-3, CheckEvery: 2}, Start: lnmu.Start{Init: lnmu.InitNested}}, ""},
		{"rnmu, from", lnmu.RNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 3}}, "start"},
		{"rnmu, svd", lnmu.RNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 3}, Start: lnmu.Start{Init: lnmu.InitSVD}}, ""},
		{"rnmu, restarts", lnmu.RNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 6}, Start: lnmu.Start{Restarts: 3}}, ""},
		{"rnmu, target", lnmu.RNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 10, TargetError: 0.6}}, ""},
		{"rnmu, fixed", lnmu.RNMU{}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, FixedV: known.FixedV, Baseline: true}, ""},
		{"rnmu vanishing", lnmu.RNMU{GNMU: long}, 2, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"rnmu blocks", lnmu.RNMU{Block: 2, GNMU: lagrangian{Multipliers: lnmu.MultipliersStart}}, 3, settings{Limits: lnmu.Limits{Iterations: 4}, Start: lnmu.Start{Seed: 3}}, ""},
		{"rnmu, one block", lnmu.RNMU{Block: 3}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"rnmu admm", lnmu.RNMU{GNMU: lagrangian{Solver: lnmu.SolverADMM, Rho: 8, ResidualTolerance: 1e-9}}, 2, settings{Limits: lnmu.Limits{Iterations: 33}}, ""},
		{"rnmu admm, blocks", lnmu.RNMU{Block: 2, GNMU: admm(1, 3)}, 3, settings{Limits: lnmu.Limits{Iterations: 6}}, ""},
		{"l1", lnmu.RNMU{Norm: lnmu.L1, GNMU: lagrangian{Multipliers: lnmu.MultipliersStart}}, 2, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"l1 vanishing", lnmu.RNMU{Norm: lnmu.L1, GNMU: long}, 2, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"priors", lnmu.RNMU{ThresholdV: 0.3, ThresholdW: 0.1}, 3, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"priors, targets", lnmu.RNMU{GNMU: lagrangian{Multipliers: lnmu.MultipliersStart}, SparsityV: 0.5, SparsityW: 0.6}, 2, settings{Limits: lnmu.Limits{Iterations: 7}, Start: lnmu.Start{Restarts: 2}}, ""},
		{"priors, smooth", lnmu.RNMU{SmoothV: 0.3, ShapeV: v, SmoothW: 0.05, ShapeW: w, ThresholdV: 0.1, SparsityW: 0.4}, 2, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"priors, smooth squares", lnmu.RNMU{SmoothV: 0.3, ShapeV: v, SmoothNorm: lnmu.L2}, 2, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"priors beyond all", lnmu.RNMU{GNMU: long, ThresholdV: 1, ThresholdW: 1}, 2, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"priors, baseline", lnmu.RNMU{ThresholdV: 0.1}, 2, settings{Limits: lnmu.Limits{Iterations: 4}, Baseline: true}, ""},
		{"exact, each", lnmu.RNMU{GNMU: exact(lnmu.FeasibleEach, 3)}, 3, settings{Limits: lnmu.Limits{Iterations: 5}}, ""},
		{"exact blocks", lnmu.RNMU{Block: 2, GNMU: exact(lnmu.FeasibleEach, 2)}, 3, settings{Limits: lnmu.Limits{Iterations: 5}, Start: lnmu.Start{Init: lnmu.InitSVD}}, ""},
		{"exact, final", lnmu.RNMU{GNMU: exact(lnmu.FeasibleFinal, 1)}, 3, settings{Limits: lnmu.Limits{Iterations: 4}}, ""},
		{"nmf, race", lnmu.NMF{}, 3, settings{Limits: lnmu.Limits{Iterations: 31}, Start: lnmu.Start{Restarts: 4}}, ""},
		{"nmf, race to a target", lnmu.NMF{Solver: lnmu.SolverHALS, L2V: 0.1, L2W: 0.1}, 2, settings{Limits: lnmu.Limits{Iterations: 35, Tolerance: 1e-4, CheckEvery: 7}, Start: lnmu.Start{Restarts: 3}}, ""},
		{"kl, race", lnmu.KL{}, 2, settings{Limits: lnmu.Limits{Iterations: 31}, Start: lnmu.Start{Restarts: 3, Seed: 5}}, ""},
	}
}

// TestRunsHaveOptions checks that each option of each method is in a run of the list, and so in every
// storage and every state.
func TestRunsHaveOptions(t *testing.T) {
	set := map[string]bool{}
	var look func(x reflect.Value, has func(name string, x reflect.Value))
	look = func(x reflect.Value, has func(name string, x reflect.Value)) {
		for i := range x.NumField() {
			if f := x.Type().Field(i); f.Anonymous {
				look(x.Field(i), has)
			} else {
				has(x.Type().Name()+"."+f.Name, x.Field(i))
			}
		}
	}
	for _, r := range runs(8, 6) {
		look(reflect.ValueOf(r.method), func(name string, x reflect.Value) { set[name] = set[name] || !x.IsZero() })
	}
	for _, d := range options.Methods() {
		look(reflect.ValueOf(d.Method), func(name string, _ reflect.Value) {
			if !set[name] {
				t.Errorf("%s is in no run: add one to runs", name)
			}
		})
	}
}

// condition says which entries of a matrix count.
type condition struct {
	mask    *lnmu.Mask
	weights lnmu.Matrix[float64]
	stored  bool // only those that a sparse matrix stores
	solver  lnmu.Choice
}

// formed are weights that no matrix in memory holds, from row i and column j on.
type formed struct{ rows, cols, i, j int }

func (w formed) Dims() (rows, cols int)  { return w.rows, w.cols }
func (w formed) At(i, j int) (x float64) { return float64((7*(w.i+i)+3*(w.j+j))%11+1) / 4 }

// of returns what process p has of the condition of an m x n matrix. A mask of no missing entry is
// left out.
func (c condition) of(m, n int, p distributed.Processes) condition {
	i0, i1, j0, j1 := 0, m, 0, n
	if n > m {
		j0, j1 = distributed.Share(m, n, p.Rank(), p.Size())
	} else {
		i0, i1 = distributed.Share(m, n, p.Rank(), p.Size())
	}
	if k := c.mask; k != nil {
		c.mask = nil
		part, complete := lnmu.NewMask(i1-i0, j1-j0), true
		for i := i0; i < i1; i++ {
			for j := j0; j < j1; j++ {
				part.Set(i-i0, j-j0, k.Observed(i, j))
				complete = complete && k.Observed(i, j)
			}
		}
		if !complete {
			c.mask = part
		}
	}
	switch w := c.weights.(type) {
	case lnmu.Dense[float64]:
		c.weights = linesOf(w, p)
	case formed:
		c.weights = formed{i1 - i0, j1 - j0, i0, j0}
	}
	return c
}

// conditions returns what may count of a dense m x n matrix.
func conditions(m, n int) map[string]condition {
	gaps, few, exact := lnmutest.Gaps(m, n, 0.3, 2), lnmutest.Gaps(m, n, 0.05, 3), lnmu.MissingExact
	last, span := lnmu.NewMask(m, n), lnmutest.Ones[float64](m, n)
	last.Set(m-1, n-1, false)                      // in one process alone
	for at := range span.Data[len(span.Data)/2:] { // the weights of a process of two are equal
		if m >= n {
			at += len(span.Data) / 2
			span.Data[at] = 1e4
		}
	}
	for i := range m {
		for j := n / 2; j < n && n > m; j++ {
			span.Row(i)[j] = 1e4
		}
	}
	return map[string]condition{
		"":               {},
		"mask":           {mask: gaps},
		"last":           {mask: last},
		"exact":          {mask: few, solver: exact},
		"weights":        {weights: lnmutest.WeightsOf(gaps, true)},
		"span":           {weights: span},
		"majorized":      {weights: span, solver: lnmu.MissingMajorize},
		"formed":         {weights: formed{m, n, 0, 0}, mask: gaps},
		"exact, weights": {weights: lnmutest.WeightsOf(lnmu.NewMask(m, n), true), mask: few, solver: exact},
	}
}

// withHoles returns a copy of m with NaN and other numbers where entries are missing.
func withHoles[T lnmu.Float](m lnmu.Dense[T], c condition) lnmu.Dense[T] {
	k := lnmu.NewMask(m.Dims())
	for i := range m.Rows {
		for j := range m.Cols {
			k.Set(i, j, (c.mask == nil || c.mask.Observed(i, j)) && (c.weights == nil || c.weights.At(i, j) > 0))
		}
	}
	return lnmutest.Filled(m, k, T(math.NaN()), T(math.Inf(1)), -1, T(math.MaxFloat32))
}

// positive is a matrix of a given rank with noise.
func positive[T lnmu.Float](m, n, rank int) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(5, uint64(m)))
	d := lnmu.NewDense[T](m, n, nil)
	v, w := make([]float64, m*rank), make([]float64, n*rank)
	for _, x := range [][]float64{v, w} {
		for i := range x {
			x[i] = max(0, rng.NormFloat64())
		}
	}
	for i := range m {
		for j := range n {
			x := 0.1 * rng.Float64()
			for k := range rank {
				x += v[i*rank+k] * w[j*rank+k]
			}
			d.Row(i)[j] = T(x)
		}
	}
	return d
}

// scattered is a sparse matrix with about so many entries, most of them in the first rows.
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

// problem is a run of a matrix.
type problem[T lnmu.Float] struct {
	run
	dense  lnmu.Dense[T]
	sparse *lnmu.CSR[T] // instead of dense
	seen   condition
	v, w   lnmu.Dense[T] // the given start
}

func (x problem[T]) dims() (m, n int) {
	if x.sparse != nil {
		return x.sparse.Dims()
	}
	return x.dense.Dims()
}

// matrix is a problem without its run.
type matrix[T lnmu.Float] struct {
	name string
	problem[T]
}

// matrices returns the matrices of a test: dense ones, and sparse ones with all entries or those that
// are stored. Some have slabs of several blocks, parts of processes without rows, or little to find.
func matrices[T lnmu.Float]() (all []matrix[T]) {
	zeros := positive[T](700, 9, 2)
	for i := range zeros.Rows { // whole slabs, those of whole processes, and a column
		if zeros.Row(i)[4] = 0; i >= 350 {
			clear(zeros.Row(i))
		}
	}
	one := lnmu.NewDense[T](300, 5, nil)
	one.Row(299)[3] = 2
	twins := positive[T](6, 400, 2)
	for i := range 5 {
		copy(twins.Row(i+1), twins.Row(0))
	}
	tall, wide := positive[T](1500, 7, 3), positive[T](9, 800, 3)
	for _, d := range []lnmu.Dense[T]{tall, wide, zeros, positive[T](40, 30, 4), positive[T](5, 3, 3), zeros.Transposed(), positive[T](1300, 3, 2), one, lnmu.NewDense[T](5, 300, nil), twins} {
		all = append(all, matrix[T]{fmt.Sprintf("%d x %d", d.Rows, d.Cols), problem[T]{dense: d}})
	}
	small := []lnmu.Dense[T]{positive[T](500, 7, 3), positive[T](9, 400, 3), positive[T](24, 24, 3)}
	for at, which := range slices.Sorted(maps.Keys(conditions(2, 2)))[1:] {
		d := small[(at+1)%3]
		c := conditions(d.Rows, d.Cols)[which]
		all = append(all, matrix[T]{fmt.Sprintf("%d x %d, %s", d.Rows, d.Cols, which), problem[T]{dense: withHoles(d, c), seen: c}})
	}
	half := positive[T](700, 30, 2)
	for i := range half.Data { // more than half of them are stored
		if i%3 == 0 && i%7 != 0 {
			half.Data[i] = 0
		}
	}
	single := lnmu.CSR[T]{Rows: 30, Cols: 700, Ptr: make([]int, 31), Idx: []int32{690}, Val: []T{2}}
	for i := 12; i <= 30; i++ {
		single.Ptr[i] = 1
	}
	sparse := []lnmu.CSR[T]{
		scattered[T](1500, 60, 40000), scattered[T](600, 900, 30000), scattered[T](3000, 3400, 20000), scattered[T](5, 3, 9), lnmutest.SparseData[T](601, 37, 3),
		scattered[T](4, 6, 9), single, single.Transposed(), lnmu.NewCSR(half), lnmu.NewCSR(half).Transposed(),
	}
	for i, c := range sparse {
		x := problem[T]{sparse: &sparse[i], seen: condition{stored: i > len(sparse)-3}}
		all = append(all, matrix[T]{fmt.Sprintf("%d x %d, %s", c.Rows, c.Cols, map[bool]string{false: "sparse", true: "stored"}[x.seen.stored]), x})
	}
	return all
}

// each calls do for problems. Every run takes a share of the
// matrices, and every matrix a share of the runs: 1 of so many pairs, others at another turn. A pair
// that does not go together is left out.
func each[T lnmu.Float](t *testing.T, turn, share int, do func(at int, x problem[T], want *lnmu.Result[T])) {
	all := matrices[T]()
	share = min(share, len(all))
	taken := map[string]int{}
	at := 0
	for i := range runs(2, 2) {
		owed := false // its matrix does not go with it
		for k := range 2 * len(all) {
			if !owed && (k >= len(all) || (i+k+turn)%share != 0) {
				continue
			}
			m := all[(k+k/len(all)*3)%len(all)] // one of those is small
			x := m.problem
			x.run = runs(m.dims())[i]
			r := x.run.name
			x.name = r + " of " + m.name
			x.start()
			parts, errs := x.in(memory, nil)
			if owed = errors.Is(errs[0], lnmu.ErrOption); owed {
				continue
			}
			if errs[0] != nil {
				t.Fatalf("%s: %v", x.name, errs[0])
			}
			taken[r]++
			taken[m.name]++
			do(at, x, parts[0])
			at++
		}
	}
	for _, r := range runs(2, 2) {
		if taken[r.name] == 0 {
			t.Errorf("the run %s has met no matrix", r.name)
		}
	}
	for _, m := range all {
		if taken[m.name] == 0 && share < 12 {
			t.Errorf("the matrix %s has met no run", m.name)
		}
	}
}

// start sets the given start: random factors with zeros, and entries that Improve finds negligible, some of them beside the
// first entry alone, which one process has.
func (x *problem[T]) start() {
	if x.given == "" {
		return
	}
	m, n := x.dims()
	x.v, x.w = lnmutest.RandomStart[T](m, n, x.rank, 7)
	for _, d := range []lnmu.Dense[T]{x.v, x.w} {
		for i := range d.Data {
			switch {
			case i == 0:
				d.Data[i] = 50
			case i%7 == 3:
				d.Data[i] *= 1e-12
			case i%11 == 4:
				d.Data[i] = 0
			}
		}
	}
}

// problemsOf returns some problems by parts of their names "RUN of MATRIX".
func problemsOf[T lnmu.Float](t *testing.T, names ...string) (some []problem[T]) {
	for _, name := range names {
		r, of, _ := strings.Cut(name, " of ")
		found := false
		for _, m := range matrices[T]() {
			rows, cols := m.dims()
			for _, c := range runs(rows, cols) {
				if c.name == r && m.name == of {
					x := m.problem
					x.run, x.name = c, name
					x.start()
					some, found = append(some, x), true
				}
			}
		}
		if !found {
			t.Fatalf("no problem %s", name)
		}
	}
	return some
}
