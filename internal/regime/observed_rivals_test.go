package regime

import (
	"slices"

	"nmu/lnmu"
)

// The literal forms of the missing solver majorize: steps for N = X + ω (M - X) with X = V W and the
// weights ω, of which the largest is 1, as for a complete matrix.

// majorized returns that problem for the current factors.
func majorized(p problem, v, w matrix) problem {
	n, x, most := problem{product(v, w), clone(p.weights), p.name}, clone(p.m), slices.Max(p.weights.Data)
	for i, u := range p.weights.Data {
		if u > 0 {
			n.m.Data[i] += u / most * (x.Data[i] - n.m.Data[i])
		}
		n.weights.Data[i] = 1
	}
	return n
}

// majorizing makes a step for V and then one for W, with penalties. N follows from the factors before
// the step for V, and of a wide M before the one for W, too.
func majorizing(p problem, v, w matrix, muV, muW float64) {
	n := majorized(p, v, w)
	descend(n, v, w, muV, muW, 1, func(_ int, ofV bool) bool { return !ofV })
	if p.m.Rows < p.m.Cols {
		n = majorized(p, v, w)
	}
	descend(n, v, w, muV, muW, 1, func(_ int, ofV bool) bool { return ofV })
}

// equal reports whether all observed entries of a problem have the same weight.
func equal(p problem) bool {
	most := slices.Max(p.weights.Data)
	return !slices.ContainsFunc(p.weights.Data, func(u float64) bool { return u > 0 && u < most })
}

// majorizingStep is a step without penalties. A single factor with a mask alone has closed forms, so
// that nothing is majorized.
func majorizingStep(n problem, v, w matrix) {
	if v.Cols == 1 && equal(n) {
		halsStep(n, v, w)
		return
	}
	majorizing(n, v, w, 0, 0)
}

// augmented is the augmented Lagrangian with ρ = 1, for the observed entries: steps for M - S + G, then
// Y = M - V W + G, S = max(0, Y/2) and G = Y - S.
func augmented(p problem, v, w matrix, iterations, inner int, step func(n problem, v, w matrix)) {
	s, g := lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil), lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil)
	for range iterations {
		n := problem{clone(p.m), p.weights, p.name}
		for i := range n.m.Data {
			n.m.Data[i] += g.Data[i] - s.Data[i]
		}
		for range inner {
			step(n, v, w)
		}
		x := product(v, w)
		for i, u := range p.weights.Data {
			if u > 0 {
				y := p.m.Data[i] - x.Data[i] + g.Data[i]
				s.Data[i] = max(0, y/2)
				g.Data[i] = y - s.Data[i]
			}
		}
	}
}

// zeroMultiplier is a multiplier of the zeros of a sparse matrix, in parts of the largest entry.
func zeroMultiplier(k int) float64 { return min(1, 0.05*float64(k)) }

// innerOf returns the steps of the augmented Lagrangian between two updates, for so many factors at a time.
func innerOf(block int) int {
	if block == 1 {
		return 1
	}
	return 4
}

// incompleteRivals returns the methods whose literal forms differ with missing entries and weights.
func incompleteRivals() []rival {
	byMajorize := []string{"missing", "weights by majorize", "missing in files", "weights by majorize in files"}
	masked := []string{"missing", "missing in files"}
	admm := lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-300}
	violated := lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Multipliers: lnmu.MultipliersStart}}
	targets := lnmu.SNMF{SparsityV: 0.4, SparsityW: 0.3}
	return []rival{
		{"gnmu admm", lnmu.GNMU{Lagrangian: admm}, []string{"dense", "exact"}, func(p problem, v, w matrix, iterations int) {
			augmented(p, v, w, iterations, innerOf(v.Cols), halsStep)
		}, squared},
		{"gnmu admm by majorize", lnmu.GNMU{Lagrangian: admm}, masked, func(p problem, v, w matrix, iterations int) {
			augmented(p, v, w, iterations, innerOf(v.Cols), majorizingStep)
		}, squared},
		{"gnmu by majorize", lnmu.GNMU{}, byMajorize, func(p problem, v, w matrix, iterations int) {
			underapproximate(p, v, w, iterations, majorizingStep)
		}, squared},
		{"rnmu by majorize", lnmu.RNMU{}, byMajorize, func(p problem, v, w matrix, iterations int) {
			recursion(p, v, w, 1, iterations, func() func(n problem, v, w matrix) { return majorizingStep })
		}, squared},
		{"rnmu blocks by majorize", lnmu.RNMU{Block: 2}, byMajorize, func(p problem, v, w matrix, iterations int) {
			recursion(p, v, w, 2, iterations, func() func(n problem, v, w matrix) { return majorizingStep })
		}, squared},
		{"gnmu from violations", violated, []string{"dense", "exact", "weights"}, func(p problem, v, w matrix, iterations int) {
			underapproximateBy(p, v, w, iterations, multipliers{violated: true}, halsStep)
		}, squared},
		{"gnmu from violations by majorize", violated, byMajorize, func(p problem, v, w matrix, iterations int) {
			underapproximateBy(p, v, w, iterations, multipliers{violated: true}, majorizingStep)
		}, squared},
		{"gnmu with a step offset", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{StepOffset: 3}}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			underapproximateBy(p, v, w, iterations, multipliers{offset: 3}, halsStep)
		}, squared},
		{"gnmu with one multiplier for all zeros", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{ZeroMultiplier: zeroMultiplier}}, []string{"sparse"}, func(p problem, v, w matrix, iterations int) {
			underapproximateBy(p, v, w, iterations, multipliers{zeros: zeroMultiplier}, halsStep)
		}, squared},
		{"snmf targets", targets, []string{"exact", "weights by exact", "sparse"}, func(p problem, v, w matrix, iterations int) {
			adaptTo(p, v, w, 0.4, 0.3, iterations, nil)
		}, squared},
		{"snmf targets by majorize", targets, append([]string{"stored"}, byMajorize...), func(p problem, v, w matrix, iterations int) {
			adaptTo(p, v, w, 0.4, 0.3, iterations, majorizing)
		}, squared},
	}
}
