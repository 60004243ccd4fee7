package regime

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestLiteral compares runs with their literal forms from the same starts: the factors, and all numbers of the result.
func TestLiteral(t *testing.T) {
	admm := func(rho float64, steps, sweeps int) lnmu.GNMU {
		return lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: rho, Inner: steps, Sweeps: sweeps, ResidualTolerance: 1e-300}
	}
	root := func(k int) float64 { return min(1, 0.05*float64(k)) }
	const ( // names of kinds
		whole      = "dense,sparse"
		masked     = ",missing,exact,missing in files,exact in files"
		incomplete = masked + ",weights,weights by majorize,weights by exact,span,span by majorize,weights by majorize in files"
	)
	undone := 0
	for at, c := range []struct {
		method lnmu.Method
		kinds  string // of matrices
		held   string // those with fixed factors, too
	}{
		{lnmu.NMF{Solver: lnmu.SolverHALS}, whole + incomplete + ",stored", whole},
		{lnmu.NMF{Solver: lnmu.SolverHALS, L2V: 0.1, L2W: 0.2}, whole + incomplete + ",stored", ""},
		{lnmu.NMF{Solver: lnmu.SolverAccelerated}, whole, ""},
		{lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 2}, whole, ""},
		{lnmu.SNMF{PenaltyV: 0.03, PenaltyW: 0.02, Solver: lnmu.SolverHALS}, whole + incomplete + ",stored", ""},
		{lnmu.SNMF{PenaltyV: 0.02, PenaltyW: 0.01, Solver: lnmu.SolverAccelerated}, whole, ""},
		{lnmu.SNMF{SparsityV: 0.4, SparsityW: 0.3}, whole + incomplete + ",stored", ""},
		{lnmu.GNMU{}, whole + incomplete + ",stored", whole},
		{lnmu.GNMU{Sweeps: 3}, whole + incomplete, ""},
		{lnmu.GNMU{Multipliers: lnmu.MultipliersStart}, "dense" + incomplete, "dense"},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Multipliers: lnmu.MultipliersStart}}, "dense" + incomplete, ""},
		{lnmu.GNMU{StepOffset: 3, Inner: 1}, whole + incomplete, ""},
		{lnmu.GNMU{ZeroMultiplier: root}, "sparse", "sparse"},
		{admm(0, 0, 0), whole + masked, whole},
		{admm(0.75, 3, 1), whole, ""},
		{admm(5, 4, 0), whole + masked, ""},
		{admm(3, 2, 5), whole, ""},
		{lnmu.RNMU{}, whole + incomplete + ",stored", whole},
		{lnmu.RNMU{Block: 2}, whole + incomplete + ",stored", ""},
		{lnmu.RNMU{Block: 9}, whole, ""},
		{lnmu.RNMU{Block: 2, GNMU: lnmu.GNMU{Sweeps: 4}}, whole, ""},
		{lnmu.RNMU{GNMU: lnmu.GNMU{ZeroMultiplier: func(int) float64 { return 0 }}}, "sparse", ""},
		{lnmu.RNMU{Norm: lnmu.L1}, "dense" + masked, ""},
		{lnmu.RNMU{ThresholdV: 0.1, SparsityW: 0.3}, "dense", ""},
		{lnmu.RNMU{GNMU: admm(0, 0, 0)}, whole + masked, whole},
		{lnmu.RNMU{GNMU: admm(3, 2, 3)}, whole, ""},
		{lnmu.RNMU{Block: 2, GNMU: admm(1, 0, 4)}, whole + masked, ""},
		{lnmu.Hoyer{HoyerV: 0.5}, "dense", ""}, {lnmu.Hoyer{HoyerW: 0.6}, "dense", ""}, {lnmu.Hoyer{HoyerV: 0.4, HoyerW: 0.5}, "dense", ""},
		{lnmu.KL{}, whole + ",missing,weights,span,missing in files", whole},
		{lnmu.KL{PenaltyV: 0.5, PenaltyW: 2}, whole + ",missing,weights,span", ""}, {lnmu.KL{L2V: 0.5, L2W: 2}, whole + ",missing,weights,span", ""},
		{lnmu.KL{Solver: lnmu.SolverCoordinate}, whole + ",missing,weights,span,missing in files", whole},
		{lnmu.KL{Solver: lnmu.SolverCoordinate, PenaltyV: 0.5, PenaltyW: 2}, whole + ",missing,weights", ""},
	} {
		for i, kind := range strings.Split(c.kinds+","+c.held, ",") {
			shapes := [][2]int{{12, 9}, {7, 15}}
			if i == 0 { // rows or columns alone, and several slabs
				shapes = append(shapes, [][2]int{{1, 9}, {9, 1}, {200, 17}, {17, 301}, {700, 11}}...)
			}
			for k, shape := range shapes {
				for _, rank := range []int{1, 3} {
					for j, iterations := range []int{2, 33} {
						if (at*(k/2)+i+k+rank/2+j)%2 != 0 && !full() {
							continue // the next kind has it, and of the other shapes the next method
						}
						if kind != "" && rank <= max(1, min(shape[0], shape[1])-1) {
							r := rivalry{c.method, kind, i > strings.Count(c.kinds, ","), planted(shape[0], shape[1], 3, 0.05, uint64(1+shape[1]/15)).with(kind), rank, iterations}
							undone += r.compare(t)
						}
					}
				}
			}
		}
	}
	must.AtLeast(t, undone, 10, "only")
}

// rivalry is a run that is compared with its literal form.
type rivalry struct {
	method           lnmu.Method
	kind             string
	held             bool
	p                problem
	rank, iterations int
}

// compare makes both runs, and returns how many iterations were undone.
func (r rivalry) compare(t *testing.T) int {
	v, w := scene{p: r.p, rank: r.rank, scale: 1, start: "good"}.factors()
	single := r.rank == 1 || r.p.M.Rows == 1 || r.p.M.Cols == 1 // the scale of V and W may follow from rounding
	switch m := r.method.(type) {
	case lnmu.RNMU:
		if m.Norm == lnmu.L1 { // rounding leads to different medians later
			r.iterations = min(r.iterations, 12)
		}
		single = single || m.ThresholdV+m.ThresholdW+m.SparsityV+m.SparsityW+m.SmoothV+m.SmoothW > 0
	case lnmu.SNMF: // a start far from the scale that the penalties determine is balanced
		single = true
	}
	_, hoyer := r.method.(lnmu.Hoyer) // for vectors of more than one entry
	if long := max(r.p.M.Rows, r.p.M.Cols) > 20; long && (r.iterations > 2 || r.rank == 1) || hoyer && min(r.p.M.Rows, r.p.M.Cols) == 1 {
		return 0
	}
	settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: r.iterations, CheckEvery: 1}, Threads: 1, MissingSolver: solverOf(r.kind), Record: true}
	a := literal.HALS{Majorize: majorizes(r.kind, r.method), Stored: r.kind == "stored"}
	if r.held {
		_, all := r.method.(lnmu.NMF)
		all = all && r.rank == 3
		settings.FixedV = lnmu.NewDense(v.Rows, 1, v.Transposed().Row(0))
		if settings.Baseline = all; all {
			settings.FixedW = lnmu.NewDense(1, w.Cols, w.Row(2))
			for j := range w.Cols {
				w.Row(1)[j] = 1
			}
		}
		a.Held = func(_, k int, ofV bool) bool { return ofV && k == 0 || all && !ofV && k > 0 }
	}
	name := fmt.Sprintf("%T%+v, %s, held %v, rank %d, %d iterations", r.method, r.method, r.p.name, r.held, r.rank, r.iterations)
	res := must.Get(lnmu.FactorFrom(t.Context(), given[float64](r.p, r.kind), v, w, r.method, settings))(t, name)
	if res.Revived > 0 { // factors that penalties cleared are drawn anew
		return 0
	}
	for i := range v.Rows {
		if r.held && res.V.At(i, 0) != v.At(i, 0) {
			t.Errorf("%s: V[%d,0] has changed", name, i)
		}
	}
	history, undone := a.Run(r.method, r.p.Problem, v, w, r.iterations, r.kind == "sparse")
	far := literal.Apart(literal.Product(res.V, res.W), literal.Product(v, w))
	if !single {
		far = max(far, literal.Apart(res.V, v), literal.Apart(res.W, w))
	}
	if !(far <= 1e-8) {
		t.Errorf("%s: V W, or V or W, differ by %.2g", name, far)
		return undone
	}
	must.Equal(t, said(r.p, res), "", name)
	most, size := r.p.Violation(res.V, res.W)
	numbers := map[string][2]float64{"largest violation": {res.MaxViolation, most}, "violation": {res.RelativeViolation, size / r.p.Norm()}}
	if m, ok := r.method.(lnmu.RNMU); ok && m.Norm == lnmu.L1 {
		numbers["l1 error"] = [2]float64{res.RelativeL1, r.p.Absolute(res.V, res.W) / r.p.Total()}
	}
	if _, counts := r.method.(lnmu.KL); counts {
		d := r.p.Divergence(res.V, res.W) / r.p.Null()
		numbers["divergence"], numbers["divergence of the block"] = [2]float64{res.RelativeDivergence, d}, [2]float64{res.Blocks[0].Divergence, d}
		for k, d := range history {
			numbers[fmt.Sprint("divergence after ", k+1)] = [2]float64{res.Blocks[0].History[k], d / r.p.Null()}
		}
	}
	near := 1e-9
	if single { // where rounding decides which of two like losses is less
		near = 1e-6
	}
	for what, x := range numbers {
		if !(math.Abs(x[0]-x[1]) <= near) || res.ViolationBound {
			t.Errorf("%s: %s %v, recomputed %v", name, what, x[0], x[1])
		}
	}
	return undone
}

// majorizes reports whether the solver of missing entries and weights of a run is majorize, by default or
// since the kind says so.
func majorizes(kind string, method lnmu.Method) bool {
	switch by := solverOf(kind); {
	case by != "":
		return by == lnmu.MissingMajorize
	case strings.HasPrefix(kind, "weights"):
		return !method.Underapproximates()
	}
	return strings.HasPrefix(kind, "missing") || kind == "stored"
}
