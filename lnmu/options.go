package lnmu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"
)

// Errors that a caller may test for with errors.Is. The errors returned wrap
// them with the argument, the place and what to do.
var (
	ErrShape  = errors.New("bad shape")
	ErrOption = errors.New("bad option")
	ErrValue  = errors.New("bad value")
)

// ValueError says which entry of a matrix cannot be factored.
type ValueError struct {
	Matrix   string
	Row, Col int // from 0
	Value    float64
}

// Error names the place as the readers of files do, counting from 1.
func (e *ValueError) Error() string {
	what := "not finite; remove or impute it"
	if e.Value < 0 && !math.IsInf(e.Value, 0) {
		what = "negative; shift or clip the data"
	}
	return fmt.Sprintf("%s is %s", entry(e.Matrix, e.Row, e.Col, e.Value), what)
}

// entry names an entry of a matrix, given from 0, in a message.
func entry(name string, i, j int, x float64) string {
	return fmt.Sprintf("row %d, column %d of %s = %v", i+1, j+1, name, x)
}

// Unwrap makes errors.Is(err, ErrValue) true.
func (e *ValueError) Unwrap() error { return ErrValue }

// Method is an algorithm of the paper.
type Method string

const (
	NMF   Method = "nmf"   // nonnegative matrix factorization by HALS (section 3.1 with Λ = 0)
	GNMU  Method = "gnmu"  // global underapproximation: Algorithm L-NMU at rank r
	RNMU  Method = "rnmu"  // recursive underapproximation: L-NMU on one residual after the other
	SNMF  Method = "snmf"  // NMF with l1 penalties on V and W, by HALS (section 4.1)
	Hoyer Method = "hoyer" // NMF with given sh(·) of V, W or both, by Hoyer's algorithm (section 4.1)
)

// underapproximates reports whether the method keeps multipliers.
func (m Method) underapproximates() bool { return m == GNMU || m == RNMU }

// Init is a way to choose the start.
type Init string

const (
	InitRandom Init = "random" // uniform in [0, 1), scaled by equation (scaling)
	InitSVD    Init = "svd"    // nonnegative parts of the first singular vectors, scaled
	InitGiven  Init = "given"  // Options.V and Options.W
)

// Options say how to factor. The zero value of each field but Rank stands for
// the paper's choice.
type Options[T Float] struct {
	Method Method // default RNMU
	Rank   int    // r, from 1 to min(m, n)

	// Block is the number b of factors that a recursion (RNMU) computes
	// together; default 1. With b = r the recursion is GNMU.
	Block int

	// Iterations is the number of iterations: default 600 for NMF and SNMF, 240
	// for GNMU, 180 per block for RNMU, 1000 for Hoyer (section 4.3).
	Iterations int

	// Inner is T, the number of HALS steps between two updates of the
	// multipliers; default 2 (section 4.2). Methods without multipliers have none.
	Inner int

	// Step is the sequence µ_k of step lengths, k = 1, 2, ...; default 1/k
	// (section 3.2). Restarts that run side by side call it concurrently; it is
	// called in the order of k within each. What it panics with, Factor panics with.
	Step func(k int) float64

	// ZeroMultiplier is g of the last remark of section 3, for FactorSparse with
	// GNMU and RNMU: in iteration k = 1, 2, ... the multiplier of every zero of M
	// is ZeroMultiplier(k) times the largest entry of M (of the residual, in a
	// recursion). It must be nonnegative and must not decrease. Default: like ρ^k
	// from the mean of M to its largest entry, see FactorSparse. As Step, it may be
	// called concurrently.
	ZeroMultiplier func(k int) float64

	// Restarts is the number of runs, from the seeds Seed, Seed+1, ...; the one
	// of least error wins. Default 10 for InitRandom (section 4.4), 1 else.
	Restarts int
	Seed     uint64

	// PenaltyV and PenaltyW are the penalties µ_V and µ_W of SNMF, both
	// positive (section 4.1). Instead of them, SparsityV and SparsityW are the
	// targets s(V) and s(W) from 0 to 1 towards which the penalties are adapted
	// (section 4.4); a factor whose target is 0 gets the other one's penalty.
	PenaltyV, PenaltyW   float64
	SparsityV, SparsityW float64

	// HoyerV and HoyerW are the values of sh(·), from 0 to 1, that Hoyer imposes
	// on the columns of V and the rows of W (section 4.1); 0 imposes none.
	HoyerV, HoyerW float64

	Init Init     // default InitRandom, or InitGiven if V or W is set
	V    Dense[T] // start, m x r; only for InitGiven
	W    Dense[T] // start, r x n; only for InitGiven

	// Threads is the largest number of goroutines that compute; default
	// GOMAXPROCS. The result does not depend on it. Small matrices take fewer, and
	// with 1 no goroutine is started.
	Threads int

	// Tolerance stops a run (a block of a recursion) when the relative error
	// changed by no more than Tolerance times itself between two checks; default
	// 0, never. Checks come every CheckEvery iterations, default 10.
	Tolerance  float64
	CheckEvery int

	// TargetError ends a recursion after the first block at which the relative
	// error is at most TargetError; default 0, never.
	TargetError float64

	// Norm is the norm that RNMU minimises; default L2. See Norm for L1.
	Norm Norm

	// Feasible, for GNMU and RNMU, makes V W <= M exact; default "", not at all.
	// FeasibleSteps is the largest number of exact steps that change the factors,
	// default 1; see Feasible.
	Feasible      Feasible
	FeasibleSteps int

	// TimeLimit stops the work when it has taken so long; what is there by then
	// is the result. Default 0, none. It is looked at before every HALS step and
	// within all that may take longer, the exact steps of Feasible included: what
	// could not be made feasible in time is not (FeasibleFinal), or is left out
	// (FeasibleEach in a recursion).
	TimeLimit time.Duration

	// Overwrite lets Factor destroy M where that saves memory: a single run then
	// needs no more than twice the memory of M. Several restarts leave M alone, and
	// so does FeasibleFinal. V and W must not share memory with M then.
	Overwrite bool

	// Progress, if set, is called a few times per second, never twice at once. What
	// it panics with, Factor panics with, when all goroutines have ended.
	Progress func(Progress)
}

// Progress is a state of the work, for display.
type Progress struct {
	Restart, Restarts     int // 1-based
	Factor, Rank          int // factors finished before the current block, of how many
	Iteration, Iterations int // of the current block
	RelativeError         float64
	Elapsed, Remaining    time.Duration // Remaining is an estimate
}

// WithDefaults returns the options as Factor uses them for an m x n matrix: with
// the paper's defaults filled in. The error, which names the first bad option,
// is the one that Factor would return. Factor takes the result as well and does
// the same.
func (o Options[T]) WithDefaults(m, n int) (Options[T], error) {
	bad := func(format string, args ...any) (Options[T], error) {
		return o, fmt.Errorf("%w: "+format, append([]any{ErrOption}, args...)...)
	}
	if o.Method == "" {
		o.Method = RNMU
	}
	iterations := map[Method]int{NMF: 600, GNMU: 240, RNMU: 180, SNMF: 600, Hoyer: 1000}[o.Method]
	if iterations == 0 {
		return bad("unknown method %q; choose nmf, gnmu, rnmu, snmf or hoyer", o.Method)
	}
	if o.Rank < 1 || o.Rank > min(m, n) {
		return bad("rank %d for a %d x %d matrix; choose 1 to %d", o.Rank, m, n, min(m, n))
	}
	switch o.Feasible {
	case "", FeasibleFinal, FeasibleEach:
	default:
		return bad("unknown way %q to be feasible; choose final or each", o.Feasible)
	}
	switch {
	case o.Feasible != "" && o.Method != GNMU && o.Method != RNMU:
		return bad("feasible %s for method %s; only underapproximations (gnmu, rnmu) can be feasible", o.Feasible, o.Method)
	case o.Feasible == "" && o.FeasibleSteps > 0:
		return bad("%d feasible steps without feasible; choose final or each", o.FeasibleSteps)
	}
	for _, x := range []struct {
		name  string
		value *int
		def   int
	}{
		{"block", &o.Block, 1},
		{"iterations", &o.Iterations, iterations},
		{"inner", &o.Inner, 2},
		{"check interval", &o.CheckEvery, 10},
		{"threads", &o.Threads, runtime.GOMAXPROCS(0)},
		{"feasible steps", &o.FeasibleSteps, 1},
	} {
		if *x.value < 0 {
			return bad("%s %d is negative", x.name, *x.value)
		}
		if *x.value == 0 {
			*x.value = x.def
		}
	}
	if o.Feasible == "" {
		o.FeasibleSteps = 0
	}
	if err := o.checkNorm(); err != nil {
		return o, err
	}
	if o.Method != RNMU {
		if o.Block != 1 && o.Block != o.Rank {
			return bad("block %d for method %s; blocks are for rnmu", o.Block, o.Method)
		}
		o.Block = o.Rank
	}
	o.Block = min(o.Block, o.Rank)
	if !o.Method.underapproximates() {
		o.Inner = 1
	}
	if o.Step == nil {
		o.Step = func(k int) float64 { return 1 / float64(k) }
	}
	given := o.V.Data != nil || o.W.Data != nil
	if o.Init == "" {
		o.Init = InitRandom
		if given {
			o.Init = InitGiven
		}
	}
	switch o.Init {
	case InitRandom, InitSVD:
		if given {
			return bad("V or W is given but the start is %q", o.Init)
		}
	case InitGiven:
		if err := checkStart("V", o.V, m, o.Rank); err != nil {
			return o, err
		}
		if err := checkStart("W", o.W, o.Rank, n); err != nil {
			return o, err
		}
		if err := checkProduct("the start V W", o.V, o.W); err != nil {
			return o, err
		}
	default:
		return bad("unknown start %q; choose random, svd or given", o.Init)
	}
	switch {
	case o.Restarts < 0:
		return bad("restarts %d is negative", o.Restarts)
	case o.Restarts == 0 && o.Init == InitRandom:
		o.Restarts = 10
	case o.Restarts == 0:
		o.Restarts = 1
	case o.Restarts > 1 && o.Init != InitRandom:
		return bad("%d restarts from one start; choose 1, or random starts", o.Restarts)
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"tolerance", o.Tolerance}, {"target error", o.TargetError}, {"time limit", o.TimeLimit.Seconds()}} {
		if !(x.value >= 0) || math.IsInf(x.value, 0) {
			return bad("%s %v; choose a finite number >= 0", x.name, x.value)
		}
	}
	if err := o.checkMethod(); err != nil {
		return o, err
	}
	if o.TargetError > 0 && o.Method != RNMU {
		return bad("target error for method %s; only a recursion (rnmu) can stop early by rank", o.Method)
	}
	return o, nil
}

func checkStart[T Float](name string, d Dense[T], rows, cols int) error {
	if d.Rows != rows || d.Cols != cols {
		return fmt.Errorf("%w: the start %s is %d x %d, want %d x %d", ErrShape, name, d.Rows, d.Cols, rows, cols)
	}
	if err := validate(name, d); err != nil {
		return err
	}
	return checkValues(name, d)
}

// checkProduct returns an error if the squares of V, W or V W, given by name, leave
// the range of T.
func checkProduct[T Float](name string, v, w Dense[T]) error {
	squares := make([]float64, v.Cols) // of the columns of V
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			squares[k] += float64(float64(x) * float64(x))
		}
	}
	most := largest[T]() / 16 // room for M - V W
	var norm float64          // at least that of V W
	for k, vv := range squares {
		var ww float64
		for _, x := range w.Row(k) {
			ww += float64(float64(x) * float64(x))
		}
		norm += float64(math.Sqrt(vv) * math.Sqrt(ww))
		if vv > most || ww > most || norm > math.Sqrt(most) {
			return fmt.Errorf("%w: %s overflows at factor %d of %d; scale it down", ErrValue, name, k+1, v.Cols)
		}
	}
	return nil
}

// checkContext refuses a nil context.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil; pass context.Background()", ErrOption)
	}
	return nil
}

// overlap reports whether two matrices have memory in common, gaps included.
func overlap[T Float](a, b Dense[T]) bool {
	if len(a.Data) == 0 || len(b.Data) == 0 {
		return false
	}
	first := func(d Dense[T]) uintptr { return uintptr(unsafe.Pointer(&d.Data[0])) }
	end := func(d Dense[T]) uintptr { return uintptr(unsafe.Pointer(&d.Data[len(d.Data)-1])) }
	return first(a) <= end(b) && first(b) <= end(a)
}

// checkValues returns a ValueError for the first entry that is negative or not
// finite.
func checkValues[T Float](name string, d Dense[T]) error {
	for i := range d.Rows {
		for j, x := range d.Row(i) {
			if !(x >= 0) || math.IsInf(float64(x), 0) {
				return &ValueError{Matrix: name, Row: i, Col: j, Value: float64(x)}
			}
		}
	}
	return nil
}
