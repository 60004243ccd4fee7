package core

import "nmu/lnmu/internal/state"

// Plan is what a storage has to know of a method before the first problem.
type Plan struct {
	Rank  int // number of factors
	Block int // those that are found together

	Underapproximates bool // N differs from M: it keeps multipliers
	Recursive         bool // it finds block after block, on what the ones before leave of M
	Augmented         bool // its multipliers are those of the augmented Lagrangian
	Accelerated       bool
	General           bool // one factor is found as several are, by passes that know penalties
	L1                bool // the norm is l1
	Sweeps            int  // HALS sweeps for each product with N, if not accelerated
	StepsPerUpdate    int  // HALS steps for each update of the multipliers

	Priors   bool // steps are under what is known of a factor
	Products bool // products with N are formed apart from the steps
	Exact    bool // exact steps follow

	SVD      bool // it begins with singular vectors
	Nested   bool // the start of a factor does not depend on how many there are
	Supports bool // what is zero in the start stays zero
}

// Blocks returns the number of blocks of factors.
func (p Plan) Blocks() int { return (p.Rank + p.Block - 1) / p.Block }

// Factors are V and W of some rank, or the parts of them that a process has. They may
// share memory with what they were taken from.
type Factors interface {
	Rank() int
	// Fields returns V and W as fields of a checkpoint.
	Fields() []state.Field
}

// Storage is M, wherever it lies, as one run works on it.
type Storage interface {
	// Open returns a place to work for so many threads. Several may be open.
	Open(threads int) Place
	// Factors returns zero factors of that rank.
	Factors(rank int) Factors
}

// Place is where a method runs, with threads and memory of its own: M, and what is left of
// it, which one restart after the other uses.
type Place interface {
	// Restart makes M whole again, if another restart was here before, and chooses the
	// start that belongs to the seed.
	Restart(seed uint64, again bool)
	// Problem returns a problem of that rank on what is left of M. The one before is gone.
	Problem(rank int) Problem
	// Factors returns the first so many factors: those that problems have finished, and
	// zeros, or what is fixed, after them.
	Factors(rank int) Factors
	// Close ends the goroutines.
	Close()
}

// Absolute is a problem that adds up the absolute values of what is left of M.
type Absolute interface{ Absolute() float64 }

// Rechecking is a storage that goes back to M when a run is over: Reopen returns a problem on
// all of M with the factors of a result, which Finish renews.
type Rechecking interface {
	Reopen(f Factors, threads int) (p Refinable, done func())
}

// Refinable is a problem that makes the factors of a result exact.
type Refinable interface {
	Exact
	Finish(k0 int)
}

// Measuring is a storage that measures a finished result more exactly than a problem does on
// its way: Measure returns its residual, after so many iterations, and whether Least is a bound.
type Measuring interface {
	Measure(f Factors, iterations int) (e Residual, bound bool, err error)
}

// Exact is a problem whose factors can be made feasible.
type Exact interface {
	// Copies returns functions that remember the factors and bring them back.
	Copies() (save, restore func())
	// Residual is that of Problem.
	Residual(k0 int, keep bool) Residual
	// Solve replaces V, with W given, or W, with V given, by the solution of the exact
	// step, and returns the largest KKT residual. If the work is over before it is done,
	// the factor is of no use.
	Solve(v bool) (kkt float64, done bool)
}
