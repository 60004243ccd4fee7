package lnmu

import (
	"cmp"
	"slices"
	"strings"

	"nmu/internal/combination"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
)

// Method is an algorithm with its own options: NMF, SNMF, Hoyer, KL, GNMU or RNMU. The
// zero value of an option stands for its default: the paper's choice, but for NMF and SNMF the
// accelerated solver.
//
// A new method is a file that implements Method and facts of it in nmu/internal/combination. If it has
// options, it is a case in nmu/internal/options, which has the words of all methods.
type Method interface {
	// Name returns the short name, in lower case: nmf, snmf, hoyer, kl, gnmu or rnmu.
	Name() string

	// Underapproximates reports whether the method keeps V W <= M.
	Underapproximates() bool

	// prepare fills in the defaults of the options for factors of the given rank, and
	// returns the resolved method. The error, which wraps ErrOption, names the first bad
	// option.
	prepare(rank int) (resolved, error)
}

// names lists the names of the methods for which ok is true, for messages: a, b or c.
func names(ok func(f *combination.Facts) bool) string {
	var s []string
	for _, f := range combination.Methods {
		if ok(f) {
			s = append(s, f.Name)
		}
	}
	if last := len(s) - 1; last > 0 {
		return strings.Join(s[:last], ", ") + " or " + s[last]
	}
	return strings.Join(s, "")
}

// resolved is a method with all defaults, for one M.
type resolved struct {
	outline.Matrix        // of M
	method         Method // with its defaults
	*combination.Facts
	block      int // factors that are found together
	lagrange   *GNMU
	usual      int // iterations after which the error of most matrices is nearly at rest; by default those of the facts
	norm       Choice
	priors     [2]core.Prior // of V and W
	penalised  bool          // passes of higher ranks also for one factor
	ridged     bool          // there are l2 penalties
	sumV, sumW bool          // rows of V or columns of W add up to 1

	penalties [2]core.Penalty               // fixed ones of V and W
	mild      func(largest float64) float64 // for that entry of M, l1 penalties that leave something; nil if it is unknown
	targets   bool                          // penalties are adapted to target sparsities

	divergence  bool // the Kullback-Leibler divergence takes the place of a norm
	coordinates bool // and is minimised by coordinate steps
	acceleration

	// solve finds the factors of a problem from its start.
	solve func(l *method.Loop, p core.Problem) method.Trace
}

// plan returns the plan of the method for a storage, for factors of that rank.
func (p resolved) plan(s Settings, rank int, supports bool) core.Plan {
	return core.Plan{
		Rank: rank, Block: p.block,
		Underapproximates: p.Underapproximates, Recursive: p.Recursive,
		Augmented: p.lagrange.Solver == SolverADMM, Accelerated: p.on, General: p.penalised, L1: p.norm == L1, Divergence: p.divergence, Coordinates: p.coordinates, SumV: p.sumV, SumW: p.sumW,
		Sweeps: p.lagrange.Sweeps, Inner: p.lagrange.Inner,
		Priors: p.priors != [2]core.Prior{}, Products: slices.Contains(p.Needs(), combination.Products), Exact: p.lagrange.Feasible != "",
		SVD: s.Init == InitSVD, SPA: s.Init == InitSPA, SNPA: s.Init == InitSNPA, Nested: s.Init == InitNested, Supports: supports,
	}
}

// descends reports whether no iteration of the method raises what it minimises, whatever the number of those to come.
func (p resolved) descends() bool {
	return !p.Recursive && !p.Underapproximates && !p.targets
}

// races reports whether the restarts of the method race: their first iterations tell good starts from others. Those before
// coordinate steps do not, and those with weights of a wide range neither.
func (p resolved) races() bool {
	const span = 1e5 // up to which the result is within 0.1 % of the best of ten whole runs; with 1e7 it is up to 17 % above
	return p.descends() && !p.coordinates && !(p.Entries.Weights != nil && p.Entries.Largest > span*p.Entries.Least)
}

// falls reports whether no iteration of the method raises the error.
func (p resolved) falls() bool { return p.descends() && p.penalties == [2]core.Penalty{} }

// untilRest returns the default number of iterations, and sets the tolerance that ends them when the error is at rest.
func (p resolved) untilRest(s *Settings) int {
	// On the matrices of python/bench/defaults.py errors end up to 0.07 % above the least with 1e-4 and 0.04 % with this one
	// where no other minimum is found. With 1e-6 a run takes up to three times as long.
	const rest = 1e-5
	switch {
	case !p.Rests || !p.falls() || !p.on && !p.divergence:
		return p.usual
	case s.Iterations == 0:
		s.Tolerance = cmp.Or(s.Tolerance, rest)
	}
	return combination.Patience * p.usual
}

// run returns the method as a run takes it.
func (p resolved) run(s Settings, rank int, supports bool) run.Method {
	return run.Method{
		Plan: p.plan(s, rank, supports), Solve: p.solve,
		FeasibleSteps: p.lagrange.FeasibleSteps, InTheEnd: p.lagrange.Feasible == FeasibleFinal,
	}
}
