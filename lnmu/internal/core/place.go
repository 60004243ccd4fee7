package core

import (
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
)

// Plan tells a storage about the method, before the first problem.
type Plan struct {
	Rank  int // number of factors
	Block int // number of factors found together

	Underapproximates bool // it keeps multipliers, so that N differs from M
	Recursive         bool // it finds one block after the other, on the residual of the earlier ones
	Augmented         bool // it has the multipliers of the augmented Lagrangian
	Accelerated       bool
	General           bool // rank one takes the passes of higher ranks, which support penalties
	L1                bool // the norm is l1
	SumV, SumW        bool // the rows of V, or the columns of W, have the sum 1
	Divergence        bool // the Kullback-Leibler divergence takes the place of a norm
	Coordinates       bool // and is minimised by coordinate steps
	Sweeps            int  // HALS sweeps for each product with N, if not accelerated
	Inner             int  // HALS steps for each update of the multipliers

	Priors   bool // a factor has a Prior
	Products bool // products with N are formed apart from the steps
	Exact    bool // exact steps follow

	SVD      bool // the start comes from singular vectors
	SPA      bool // the start has columns of N, which SPA finds,
	SNPA     bool // or SNPA
	Nested   bool // the start of a factor does not depend on the rank
	Supports bool // zeros of the start stay zero
}

// Blocks returns the number of blocks of factors.
func (p Plan) Blocks() int { return (p.Rank + p.Block - 1) / p.Block }

// Pure reports whether the start has columns of N.
func (p Plan) Pure() bool { return p.SPA || p.SNPA }

// Storage holds M for one run, in memory or in files.
type Storage interface {
	// Open returns a place with that many threads. Several may be open.
	Open(threads int) Place
	// Factors returns zero factors of that rank.
	Factors(rank int) Factors
}

// Place is where a method runs, with threads and memory of its own. It holds M and the
// residual of M. The restarts use it one after the other.
type Place interface {
	// Restart draws the start of that seed. If again, an earlier restart has left a
	// residual, and M is restored.
	Restart(seed uint64, again bool)
	// Problem returns a problem of that rank on the residual of M. It invalidates the
	// previous one.
	Problem(rank int) Problem
	// Factors returns the first rank factors: the finished ones, then fixed factors and zeros.
	Factors(rank int) Factors
	// Close ends the goroutines.
	Close()
}

// Absolute is a problem that sums the absolute values of the residual of M.
type Absolute interface{ Absolute() float64 }

// Rechecking is a storage that returns to M after a run: Reopen returns a problem on all of M
// with the factors of a result. Finish stores its factors in the result.
type Rechecking interface {
	Reopen(f Factors, threads int) (p Exact, done func())
}

// Measuring is a storage that measures a finished result more exactly than a problem does
// during the iterations. Remeasure returns the residual, and whether Least is a bound.
type Measuring interface {
	Remeasure(f Factors, iterations int) (e Residual, bound bool, err error)
}

// Exact is a problem whose factors can be made feasible.
type Exact interface {
	// Copies returns functions that save and restore the factors.
	Copies() (save, restore func())
	// Residual and Finish do the same as those of Problem.
	Residual(k0 int, keep bool) Residual
	Finish(k0 int)
	// Solve replaces V, with W given, or W, with V given, by the solution of the exact
	// step, and returns the largest KKT residual. If the run is cancelled before the step is
	// done, the factor is invalid.
	Solve(v bool) (kkt float64, done bool)
}

// Session is what a storage has to know of its run.
type Session struct {
	Comm      group.Comm     // the processes that have parts of M
	Control   *group.Control // of process 0
	Threads   int
	Scratch   string       // directory for temporary files, if M is in files
	Overwrite bool         // M may be destroyed
	Arena     *arena.Arena // nil, or that of an estimate: then M has no data, and nothing but memory is taken

	Interrupted func() bool // reports whether the run is over; all processes ask together
	Cancelled   func() bool // is the last answer of Interrupted; tasks may ask
	Over        func() bool // is Cancelled for this process alone; it aborts a pass over files
	Failed      func(error) // is called when a pass over files is aborted, with the error of the disk or nil
}
