package regime

import (
	"math"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestUnevenStart gives methods with fixed penalties starts of one V W whose V is up to 10^6 times
// as large as W, or the other way round. At rank one all of them lead to the minimum, which literal
// steps find from an even start.
func TestUnevenStart(t *testing.T) {
	whole := planted(12, 9, 3, 0.05, 1)
	even := scene{p: whole, rank: 1, scale: 1, start: "good"}
	muV, muW := penalties(1)
	l1V, l1W, l2V, l2W := literal.Elastic{L1: muV}, literal.Elastic{L1: muW}, literal.Elastic{L2: muV}, literal.Elastic{L1: muW, L2: muW}
	for _, method := range []struct {
		lnmu.Method
		kinds    []string
		loss     func(p problem, v, w matrix) float64
		ofV, ofW literal.Elastic
	}{
		{lnmu.SNMF{PenaltyV: muV, PenaltyW: muW, Solver: lnmu.SolverHALS}, everywhere, problem.squares, l1V, l1W},
		{lnmu.SNMF{PenaltyV: muV, PenaltyW: muW, Solver: lnmu.SolverAccelerated}, everywhere, problem.squares, l1V, l1W},
		{lnmu.SNMF{L2V: muV, PenaltyW: muW, L2W: muW, Solver: lnmu.SolverHALS}, everywhere, problem.squares, l2V, l2W},
		{lnmu.SNMF{L2V: muV, PenaltyW: muW, L2W: muW, Solver: lnmu.SolverAccelerated}, everywhere, problem.squares, l2V, l2W},
		{lnmu.KL{PenaltyV: muV, PenaltyW: muW}, []string{"dense", "missing", "sparse"}, problem.divergence, l1V, l1W},
		{lnmu.KL{PenaltyV: muV, PenaltyW: muW, Solver: lnmu.SolverCoordinate}, []string{"dense", "missing", "sparse"}, problem.divergence, l1V, l1W},
		{lnmu.KL{L2V: muV, PenaltyW: muW, L2W: muW}, []string{"dense", "missing", "sparse"}, problem.divergence, l2V, l2W},
		{lnmu.KL{L2V: muV, PenaltyW: muW, L2W: muW, Solver: lnmu.SolverCoordinate}, []string{"dense", "missing", "sparse"}, problem.divergence, l2V, l2W},
	} {
		for _, kind := range method.kinds {
			p := whole.with(kind)
			loss := func(v, w matrix) float64 { return method.loss(p, v, w) + method.ofV.Of(v) + method.ofW.Of(w) }
			v, w := even.factors()
			if method.Name() == "kl" {
				literal.Multiply(p.Problem, v, w, method.ofV, method.ofW, 400)
			} else {
				literal.HALS{OfV: method.ofV, OfW: method.ofW}.Steps(p.Problem, v, w, 400)
			}
			least := loss(v, w)
			for _, c := range []float64{1e-6, 1.0 / 15, 15, 1e6} {
				v, w := even.factors()
				for i := range v.Data {
					v.Data[i] *= c
				}
				for i := range w.Data {
					w.Data[i] /= c
				}
				settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 400}, Threads: 1}
				if kind == "exact" {
					settings.MissingSolver = lnmu.MissingExact
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), given[float64](p, kind), v, w, method.Method, settings))(t)
				if got := loss(res.V, res.W); !(math.Abs(got-least) <= 1e-6*least) {
					t.Errorf("%#v, %s, V times %v: loss %v, the least one is %v", method.Method, kind, c, got, least)
				}
			}
		}
	}
}
