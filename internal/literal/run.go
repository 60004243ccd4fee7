package literal

import (
	"cmp"
	"slices"

	"nmu/lnmu"
)

// Run makes iterations of a method from v and w, and changes them. a says how weights are taken and what is
// fixed. The zeros of a sparse M share one multiplier. Run returns the loss after each iteration of a
// solver that undoes iterations, and how many it has undone.
func (a HALS) Run(method lnmu.Method, p Problem, v, w Matrix, iterations int, sparse bool) (history []float64, undone int) {
	alternate := func(solver lnmu.Choice) {
		if solver == lnmu.SolverHALS || solver == "" && a.Held != nil {
			a.Steps(p, v, w, iterations)
			return
		}
		entries := len(p.M.Data)
		if sparse {
			entries -= len(slices.DeleteFunc(slices.Clone(p.M.Data), func(x float64) bool { return x != 0 }))
		}
		history, undone = a.accelerated(p, v, w, iterations, entries)
	}
	relaxed := func(of lnmu.GNMU, r Problem, v, w Matrix, step Step) {
		relax(of, r, v, w, iterations, func(i int) bool { return sparse && p.M.Data[i] == 0 }, step)
	}
	steps := func(of lnmu.GNMU, block int) lnmu.GNMU { // T
		most := 2
		if of.Solver == lnmu.SolverADMM {
			most = map[bool]int{true: 1, false: 4}[min(block, v.Cols) == 1]
		}
		of.Inner, a.Sweeps = cmp.Or(of.Inner, most), of.Sweeps
		return of
	}
	switch m := method.(type) {
	case lnmu.NMF:
		a.OfV.L2, a.OfW.L2, a.Sweeps = m.L2V, m.L2W, m.Sweeps
		alternate(m.Solver)
	case lnmu.SNMF:
		a.OfV, a.OfW, a.Sweeps = Elastic{m.PenaltyV, m.L2V}, Elastic{m.PenaltyW, m.L2W}, m.Sweeps
		if m.SparsityV+m.SparsityW > 0 {
			adapt(a, p, v, w, m.SparsityV, m.SparsityW, iterations)
			break
		}
		alternate(m.Solver)
	case lnmu.GNMU:
		of := steps(m, v.Cols)
		relaxed(of, p, v, w, a.Step)
	case lnmu.RNMU:
		block := max(1, m.Block)
		of := steps(m.GNMU, block)
		recurse(p, v, w, block, func(r Problem, v, w Matrix, at int) {
			b := a
			if a.Held != nil {
				b.Held = func(line, k int, ofV bool) bool { return a.Held(line, at+k, ofV) }
			}
			if a.Held == nil || !b.Held(0, 0, true) {
				r.Scale(v, w)
			}
			switch {
			case m.Norm == lnmu.L1:
				relaxed(of, r, v, w, medianStep)
			case m.ThresholdV+m.ThresholdW+m.SparsityV+m.SparsityW > 0:
				relaxed(of, r, v, w, priorStep(m))
			default:
				relaxed(of, r, v, w, b.Step)
			}
		})
	case lnmu.Hoyer:
		hoyer(p, v, w, m.HoyerV, m.HoyerW, iterations)
	case lnmu.KL:
		x := &KL{Problem: p, V: v, W: w, OfV: Elastic{m.PenaltyV, m.L2V}, OfW: Elastic{m.PenaltyW, m.L2W}, Held: a.Held}
		for k := range iterations {
			if m.Solver == lnmu.SolverCoordinate && k >= iterations/2 {
				long := p.M.Rows >= p.M.Cols
				x.CoordinatesOf(long)
				x.CoordinatesOf(!long)
			} else if !x.iterate() {
				undone++
			}
			history = append(history, p.Divergence(v, w))
		}
		x.conclude()
	}
	return history, undone
}

// Round sets the entries of each column of v and row of w to 0 that are less than 0.1 % of the largest one.
func Round(v, w Matrix) {
	columns := v.Transposed()
	for _, x := range []Matrix{columns, w} {
		for k := range x.Rows {
			most := slices.Max(x.Row(k))
			for j, a := range x.Row(k) {
				if a < most/1000 {
					x.Row(k)[j] = 0
				}
			}
		}
	}
	copy(v.Data, columns.Transposed().Data)
}
