package lnmu

import (
	"math"
	"slices"

	"nmu/kernel"
)

// Lagrangian holds the options of Algorithm L-NMU, which GNMU and RNMU share.
type Lagrangian struct {
	// StepsPerUpdate is T, the number of HALS steps between two updates of the
	// multipliers; default 2 (section 4.2).
	StepsPerUpdate int

	// StepLength is the sequence µ_k of step lengths of the updates, k = 1, 2, ...;
	// default 1/k (section 3.2). Restarts that run side by side call it concurrently;
	// it is called in the order of k within each. What it panics with, Factor panics
	// with.
	StepLength func(k int) float64

	// ZeroMultiplier is g of the last remark of section 3, for FactorSparse: in
	// iteration k = 1, 2, ... the multiplier of every zero of M is ZeroMultiplier(k)
	// times the largest entry of M (of the residual, in a recursion). It must be
	// nonnegative and must not decrease. Default: like ρ^k from the mean of M to its
	// largest entry, see FactorSparse. As StepLength, it may be called concurrently.
	ZeroMultiplier func(k int) float64

	// Feasible makes V W <= M exact; default "", not at all. ExactSteps is the
	// largest number of exact steps that change the factors, default 1; see Feasible.
	Feasible   Feasible
	ExactSteps int
}

// options are those on a command line.
func (l *Lagrangian) options() []Option {
	return []Option{
		{"inner", "`T` HALS steps between two updates of the\nmultipliers (default 2)", count{&l.StepsPerUpdate}},
		{"feasible", "make V W <= M hold without any tolerance, in\nfloating point: `WAY` final (at the end) or each (every\nfactor or block); cheap on binary data, costly on dense\ndata, where V W can else exceed M by up to its largest\nentry", word[Feasible]{&l.Feasible, feasibles}},
		{"feasible-steps", "with --feasible: at most `N` exact steps, which take\nturns between V and W while the error falls (default 1)", count{&l.ExactSteps}},
	}
}

// check fills in the defaults.
func (l *Lagrangian) check() error {
	if l.Feasible == "" && l.ExactSteps > 0 {
		return bad("%d exact steps without feasible; choose %s", l.ExactSteps, either(feasibles))
	}
	if l.Feasible != "" {
		if err := known("way to be feasible", l.Feasible, feasibles); err != nil {
			return err
		}
	}
	err := atLeast([]wholeNumber{{"number of steps per update", &l.StepsPerUpdate, 2}, {"number of exact steps", &l.ExactSteps, 1}})
	if l.Feasible == "" {
		l.ExactSteps = 0
	}
	if l.StepLength == nil {
		l.StepLength = func(k int) float64 { return 1 / float64(k) }
	}
	return err
}

// relaxation is what Algorithm L-NMU does in a solver, be M dense or sparse, in
// either norm.
type relaxation interface {
	// begin begins iteration k: it remembers the factors.
	begin(k int)
	// step makes a HALS step, the first or the last of an iteration whose update of
	// the multipliers has the length mu, and reports whether anything is left of V
	// and W. A solver may make that update within the last step.
	step(mu float64, first, last bool) (alive bool)
	// update updates the multipliers, at the latest before the next step.
	update(mu float64)
	// restore brings the factors back and halves the multipliers.
	restore()
	// multiplied reports whether Λ is not zero. Factors that vanish although it is
	// zero are zero: that is the best that HALS finds from this start.
	multiplied() bool
	// clear sets the factors to zero.
	clear()
}

// relax runs Algorithm L-NMU: each iteration renews V and W by T HALS steps, V
// first, and updates the multipliers with step µ_k.
func (j *job[T]) relax(s relaxation, relative func() float64, report func(k int)) trace {
	renewed := false // by an iteration after which something was left
	tr := j.iterate(relative, report, func(k int) Stop {
		mu := j.lagrange.StepLength(k)
		s.begin(k)
		alive := true
		for t := 1; t <= j.lagrange.StepsPerUpdate && alive; t++ {
			alive = s.step(mu, t == 1, t == j.lagrange.StepsPerUpdate)
			if stop, ok := j.interrupted(); ok {
				return stop
			}
		}
		switch {
		case alive:
			s.update(mu)
			renewed = true
		case !s.multiplied():
			return StopVanished
		default:
			s.restore()
		}
		return ""
	})
	if !renewed && !tr.cut() {
		s.clear()
		tr.stop = StopVanished
	}
	return tr
}

// relaxedDense is the relaxation of a dense problem in the Frobenius norm.
//
// Over a tall M, the long factor is V, and a HALS step is a pass and then
// renewShort; the multipliers are updated at the start of the next iteration's first
// pass. Over a wide M, the long factor is W, and a HALS step is renewShort and then a
// pass; the multipliers are updated within the last pass of the iteration. In both
// cases N is read once per HALS step and M once per iteration.
type relaxedDense[T Float] struct {
	*solver[T]
	kept    factors[T]
	pending float64 // the length of the update that the next pass makes first
}

// relaxed returns the relaxation of s, whose state and factors are set.
func (s *solver[T]) relaxed() *relaxedDense[T] {
	r := &relaxedDense[T]{solver: s, kept: s.keep()}
	s.begin()
	return r
}

func (r *relaxedDense[T]) begin(int) { r.kept.save() }

func (r *relaxedDense[T]) step(mu float64, first, last bool) (alive bool) {
	if r.tall {
		when := kernel.Never
		if first && r.pending != 0 {
			when = kernel.Before
		}
		r.pass(when, r.pending, true)
		r.renewShort()
	} else {
		when := kernel.Never
		if last {
			when = kernel.After
		}
		r.renewShort()
		r.pass(when, mu, true)
	}
	return !r.vanished()
}

func (r *relaxedDense[T]) update(mu float64) { r.pending = mu }

func (r *relaxedDense[T]) restore() {
	r.kept.restore()
	r.halveMultipliers()
	r.pending = 0
	r.solver.begin()
}

// vanished reports whether V or W has become zero altogether.
func (s *solver[T]) vanished() bool {
	long, short := true, true
	for k := range s.rank {
		long = long && s.d.Data[k*s.d.Stride+k] == 0
		short = short && s.b.Data[k*s.b.Stride+k] == 0
	}
	return long || short
}

// multiplied reports whether N differs from max(0, M).
func (s *solver[T]) multiplied() bool {
	found := make([]bool, s.slabs)
	s.Run(s.slabs, func(_, task int) {
		i0, i1 := s.slab(task)
		for i := i0; i < i1 && !found[task]; i++ {
			m := s.m.Row(i)
			for j, n := range s.n.Row(i) {
				found[task] = found[task] || n != max(0, m[j])
			}
		}
	})
	return slices.Contains(found, true)
}

// clear sets the factors to zero.
func (s *solver[T]) clear() {
	clear(s.long.Data)
	clear(s.short.Data)
}

// halveMultipliers sets Λ to Λ/2, that is N to (M + N)/2: the way out when the
// multipliers have grown so large that nothing is left to approximate.
func (s *solver[T]) halveMultipliers() {
	s.Run(s.slabs, func(_, task int) {
		i0, i1 := s.slab(task)
		for i := i0; i < i1; i++ {
			m := s.m.Row(i)
			for j, n := range s.n.Row(i) {
				s.n.Row(i)[j] = (max(0, m[j]) + n) / 2
			}
		}
	})
}

// growth returns the default of ZeroMultiplier for a matrix whose mean is the given
// part of its largest entry: from that part, ρ times more in each iteration, up to 1
// in the middle of the iterations.
func growth(part float64, iterations int) func(k int) float64 {
	rho := root(1/part, (iterations+1)/2)
	g, next := part, 1
	return func(k int) float64 { // called with k = 1, 2, ...
		for ; next < k && g < 1; next++ {
			g *= rho
		}
		return min(g, 1)
	}
}

// root returns the n-th root of x >= 1, by bisection, so that its bits are the
// same everywhere, which those of math.Pow are not.
func root(x float64, n int) float64 {
	lo, hi := 1.0, x
	for {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi {
			return hi
		}
		p := 1.0
		for square, e := mid, n; e > 0; e /= 2 {
			if e%2 == 1 {
				p *= square
			}
			square *= square
		}
		if p < x {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// checkZeroMultiplier refuses a multiplier of the zeros that decreases.
func (l *Lagrangian) checkZeroMultiplier(iterations int) error {
	if l.ZeroMultiplier == nil {
		return nil
	}
	last := 0.0
	for k := 1; k <= iterations; k++ {
		g := l.ZeroMultiplier(k)
		if !(g >= last) || math.IsInf(g, 0) {
			return bad("the multiplier of the zeros is %v in iteration %d, after %v; it must be finite, nonnegative and must not decrease", g, k, last)
		}
		last = g
	}
	return nil
}
