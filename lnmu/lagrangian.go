package lnmu

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// Lagrangian holds the options of the relaxations of V W <= M, which GNMU and RNMU
// share.
type Lagrangian struct {
	// Solver is SolverLagrangian, the default, for Algorithm L-NMU, or SolverADMM for
	// the augmented Lagrangian, which takes at most 30 iterations for one factor and
	// 60 for several at a time, and 10 more for every time that ρ is doubled, unless
	// Settings.Iterations says otherwise.
	Solver Solver

	// StepsPerUpdate is T, the number of HALS steps between two updates of the
	// multipliers; default 2 (section 4.2), with SolverADMM 1 for one factor at a time
	// and 4 for several.
	StepsPerUpdate int

	// Sweeps is the number of HALS sweeps over V, and over W, for each product with N,
	// where factors are found together; default 1, as in the paper. A single factor is
	// exact after one.
	Sweeps int

	// Rho is the penalty ρ of SolverADMM, from 1e-3 to 1e6, default 1. The larger it is the less V W
	// exceeds M, and the larger is the error. Below 1 it may not settle on dense data.
	// Above 1 it is raised on the way: it begins with 1 and is doubled every 10
	// iterations.
	Rho float64

	// ResidualTolerance ends the iterations of SolverADMM, of each block in a
	// recursion, when ||R - V W - S|| is at most so many times ||M||, R being what the
	// block is to approximate and S >= 0 the slack that it has found; default 0.005.
	// It is looked at every 5 iterations, once ρ is Rho.
	ResidualTolerance float64

	// Multipliers is what the multipliers of Algorithm L-NMU begin with, default
	// MultipliersZero, and StepOffset, default 0, is where its step lengths begin. See
	// Multipliers for the choices of other programs.
	Multipliers Multipliers
	StepOffset  int

	// StepLength is the sequence µ_k of step lengths of the updates of Algorithm L-NMU,
	// k = 1, 2, ...; default 1/(k + StepOffset) (section 3.2). Restarts that run side by side call it concurrently;
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
	return append([]Option{
		{"solver", "the way to find the factors, `NAME`: lagrangian\n(Algorithm L-NMU, the default) or admm (augmented\nLagrangian: fewer iterations, nearer to V W <= M)", word[Solver]{&l.Solver, relaxations}},
		{"inner", "`T` HALS steps between two updates of the\nmultipliers (default 2; with --solver admm 4, or for\none factor at a time 1)", count{&l.StepsPerUpdate}},
		{"rho", "with --solver admm: penalty `RHO`; a larger one brings\nV W nearer to V W <= M, at a larger error (default 1)", number{&l.Rho, mostRho}},
		{"residual-tol", "with --solver admm: end when the constraints hold up\nto `PART` of the norm of M (default 0.005)", number{&l.ResidualTolerance, 1}},
		{"sweeps", "`N` HALS sweeps for each product with M (default 1)", count{&l.Sweeps}},
		{"feasible", "make V W <= M hold without any tolerance, in\nfloating point: `WAY` final (at the end) or each (every\nfactor or block); cheap on binary data, costly on dense\ndata, where V W can else exceed M by up to its largest\nentry", word[Feasible]{&l.Feasible, feasibles}},
		{"feasible-steps", "with --feasible: at most `N` exact steps, which take\nturns between V and W while the error falls (default 1)", count{&l.ExactSteps}},
	}, l.multiplierOptions()...)
}

// sweeping is that of all methods but for the accelerated solver.
func (j *job[T]) sweeping() sweeping {
	return sweeping{most: max(1, j.lagrange.Sweeps), over: j.cancelled}
}

// check fills in the defaults for blocks of so many factors.
func (l *Lagrangian) check(block int) error {
	if err := l.checkSolver(); err != nil {
		return err
	}
	if l.Feasible == "" && l.ExactSteps > 0 {
		return core.Bad("%d exact steps without feasible; choose %s", l.ExactSteps, either(feasibles))
	}
	if l.Feasible != "" {
		if err := known("way to be feasible", l.Feasible, feasibles); err != nil {
			return err
		}
	}
	steps := 2
	switch {
	case l.Solver == SolverADMM && block == 1:
		steps = 1
	case l.Solver == SolverADMM:
		steps = 4
	}
	err := atLeast([]wholeNumber{{"number of steps per update", &l.StepsPerUpdate, steps}, {"number of exact steps", &l.ExactSteps, 1}, {"number of sweeps", &l.Sweeps, 1}, {"step offset", &l.StepOffset, 0}})
	if l.Feasible == "" {
		l.ExactSteps = 0
	}
	if l.StepLength == nil && l.Solver == SolverLagrangian {
		offset := l.StepOffset
		l.StepLength = func(k int) float64 { return 1 / float64(k+offset) }
	}
	return err
}

var relaxations = []Solver{SolverLagrangian, SolverADMM}

// checkSolver fills in the solver and what it alone has, and refuses what is another's.
func (l *Lagrangian) checkSolver() error {
	if l.Solver == "" {
		l.Solver = SolverLagrangian
	}
	if err := known("solver", l.Solver, relaxations); err != nil {
		return err
	}
	if err := l.checkMultipliers(); err != nil {
		return err
	}
	if l.Solver == SolverADMM {
		if l.StepLength != nil {
			return core.Bad("step lengths with solver admm, whose steps have the length 1; leave them out, or choose solver lagrangian")
		}
		if l.Rho != 0 && !(l.Rho >= leastRho && l.Rho <= mostRho) {
			return core.Bad("penalty rho %v; choose a number from %v to %v", l.Rho, leastRho, mostRho)
		}
		if err := (fraction{"residual tolerance", l.ResidualTolerance, 1}).check(); err != nil {
			return err
		}
		if l.Rho == 0 {
			l.Rho = 1
		}
		if l.ResidualTolerance == 0 {
			l.ResidualTolerance = 0.005
		}
		return nil
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"penalty rho", l.Rho}, {"residual tolerance", l.ResidualTolerance}} {
		if x.value != 0 {
			return core.Bad("%s %v with solver %s; leave it out, or choose solver admm", x.name, x.value, l.Solver)
		}
	}
	return nil
}

// relaxation is what Algorithm L-NMU, or the augmented Lagrangian, does in a solver,
// be M dense or sparse, in either norm.
type relaxation interface {
	// begin begins iteration k: it remembers the factors.
	begin(k int)
	// step makes a HALS step, the first or the last of an iteration whose update of
	// the multipliers has the length mu, and reports whether anything is left of V
	// and W. A solver may make that update within the last step.
	step(mu float64, first, last bool) (alive bool)
	// update updates the multipliers, at the latest before the next step.
	update(mu float64)
	// converged reports whether iteration k, after its update, is near enough to a
	// solution, the whole M having the given norm.
	converged(k int, norm float64) bool
	// restore brings the factors back and halves the multipliers.
	restore()
	// multiplied reports whether Λ is not zero. Factors that vanish although it is
	// zero are zero: that is the best that HALS finds from this start.
	multiplied() bool
	// clear sets the factors to zero, but for those that are held.
	clear()
	// state returns what the iterations change.
	state() []state.Field
}

// relax runs Algorithm L-NMU: each iteration renews V and W by T HALS steps, V
// first, and updates the multipliers with step µ_k.
func (t *checkpointer[T]) relax(s relaxation, relative func() float64, report func(k int)) trace {
	renewed := false // by an iteration after which something was left
	state := func() []state.Field { return append(s.state(), state.Named("renewed", &renewed)) }
	tr := t.iterate(relative, report, state, func(k int) Stop {
		mu := 1.0
		if t.lagrange.StepLength != nil {
			mu = t.lagrange.StepLength(k)
		}
		s.begin(k)
		alive := true
		for i := 1; i <= t.lagrange.StepsPerUpdate && alive; i++ {
			alive = s.step(mu, i == 1, i == t.lagrange.StepsPerUpdate)
			if stop, ok := t.interrupted(); ok {
				return stop
			}
		}
		switch {
		case alive:
			s.update(mu)
			renewed = true
			if s.converged(k, t.norm2) {
				return StopResidual
			}
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

// newLagrangian returns the relaxation of s, whose state and factors are set.
func (s *solver[T]) newLagrangian() *relaxedDense[T] {
	r := &relaxedDense[T]{solver: s, kept: s.keep()}
	s.begin()
	return r
}

func (r *relaxedDense[T]) begin(int) {
	r.Round()
	r.kept.save()
}

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

// converged is false: the steps 1/k of Algorithm L-NMU are what ends it.
func (r *relaxedDense[T]) converged(int, float64) bool { return false }

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
	s.open(block.Reads, block.Reads, true)
	s.Run(s.slabs, func(member, task int) {
		s.eachBlock(member, task, func(i0 int, m, n kernel.Matrix[T]) bool {
			for i := 0; i < n.Rows && !found[task]; i++ {
				e := m.Row(i)
				for j, n := range n.Row(i) {
					found[task] = found[task] || n != max(0, e[j]) && s.observed(i0+i, j)
				}
			}
			return !found[task]
		})
	})
	s.shut()
	return s.lines.Aborted() || group.Any(s.share, found)
}

// clear sets the factors to zero, but for those that are held.
func (s *solver[T]) clear() {
	for k := range s.rank {
		if !s.heldLong.Has(k) {
			clear(s.long.Row(k))
		}
		if !s.heldShort.Has(k) {
			clear(s.short.Row(k))
		}
	}
}

// halveMultipliers sets Λ to Λ/2, that is N to (M + N)/2: the way out when the
// multipliers have grown so large that nothing is left to approximate.
func (s *solver[T]) halveMultipliers() {
	s.open(block.Reads, block.Updates, true)
	s.Run(s.slabs, func(member, task int) {
		s.eachBlock(member, task, func(_ int, m, n kernel.Matrix[T]) bool {
			for i := range n.Rows {
				e, row := m.Row(i), n.Row(i)
				for j, n := range row {
					row[j] = (max(0, e[j]) + n) / 2
				}
			}
			return true
		})
	})
	s.shut()
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
			return core.Bad("the multiplier of the zeros is %v in iteration %d, after %v; it must be finite, nonnegative and must not decrease", g, k, last)
		}
		last = g
	}
	return nil
}
