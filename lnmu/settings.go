package lnmu

import (
	"cmp"
	"math"
	"reflect"
	"time"

	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/outcome"
)

// drawn reports whether the start follows from the seed.
func (x Choice) drawn() bool { return x == "" || x == InitRandom || x == InitNested }

// Settings hold the options of a run, which are the same for all methods. Nil settings, and the
// zero value of each field, stand for the default, which is the paper's choice where that has one.
//
//	&lnmu.Settings{Start: lnmu.Start{Seed: 7}, Limits: lnmu.Limits{Iterations: 500, Tolerance: 1e-6}}
type Settings struct {
	Start  // where a run begins
	Limits // when it ends
	Watch  // who hears of it

	// FullRestarts makes all restarts run to the end. By default, three or more runs of NMF, Hoyer, SNMF with
	// fixed penalties, and KL with SolverMultiplicative race: all make a tenth of the usual iterations, 10 with
	// SolverAccelerated, the better half three times as many, and the best two all. Weights of which one is
	// 1e5 times another are no case for a race. Report.Restarts says how far each went.
	FullRestarts bool

	// FixedV and FixedW are known columns of V (m x k) and rows of W (k x n), none if they are empty.
	// NMF, GNMU and RNMU leave them unchanged and find the rest. All of them count as factors, in
	// this order: the columns of FixedV, the baseline, the rows of FixedW, the free factors. All
	// processes give those of the whole M.
	//
	//	         V                              W
	//	FixedV | found | found       found
	//	       |       |             ---------------------
	//	       |       |             1 1 1 ... (Baseline), FixedW
	//	       |       |             ---------------------
	//	       |       |             found
	//
	// Baseline is a row of ones in W. It gives every row of M an offset, M ≈ V W + b 1ᵀ, as in
	// PhoRC (B. Antin and others, Removing direct photocurrent artifacts in optogenetic
	// connectivity mapping data via constrained matrix factorization, PLOS Computational Biology
	// 2024).
	//
	// A recursion finds these factors first. A baseline alone in its block is the least entry of each row
	// of M, as far as the method reaches V W <= M. Together with other factors it is not
	// determined: a row of W that is positive everywhere may stand for a part of it.
	FixedV, FixedW Dense[float64]
	Baseline       bool

	// Threads is the largest number of goroutines that compute, up to 4096; default
	// GOMAXPROCS. The result does not depend on it. Small matrices take fewer. With 1, only
	// the caller's goroutine computes.
	Threads int

	// MissingSolver is how the missing entries and the weights of an Observed enter a HALS
	// step. With weights, the default is MissingExact for GNMU and RNMU, and for NMF and SNMF if
	// the largest weight is more than 10 times the least positive one. Otherwise it is
	// MissingMajorize. KL uses neither.
	MissingSolver Choice

	// Overwrite lets Factor destroy M where that saves memory: a single run then
	// needs no more than twice the memory of M. Several restarts leave M alone, and
	// so does FeasibleFinal. A given start must not share memory with M then.
	Overwrite bool

	// Scratch is the directory for temporary files: the entries of a sparse M in files, in the order of
	// the passes, and of any M in files the state of GNMU and RNMU and the residual of
	// RNMU. Default "", the system's directory for temporary files. On unix the files have no
	// names. They are removed at the end.
	Scratch string

	// Record fills Block.History without Tolerance and TargetError too, which costs
	// the time of the checks and changes no bit of the result.
	Record bool
}

// Start says where the runs of Factor begin. FactorFrom has a start of its own, and takes the Seed alone.
type Start struct {
	Init Choice // the first factors, default InitRandom
	Seed uint64

	// Restarts is the number of runs, from the seeds Seed, Seed+1, ...; the one of least error wins.
	// Default 10 for InitRandom (section 4.4) and InitNested, 1 else.
	Restarts int
}

// Limits say when a run ends.
type Limits struct {
	// Iterations is the number of iterations, of each block in a recursion. The default depends on the method. NMF
	// with SolverAccelerated and KL, both without penalties, go on until the error is at rest: Tolerance is 1e-5 then,
	// unless it is given, and Iterations 500, or 1000 with KL, or 200 with SolverCoordinate.
	Iterations int

	// Tolerance and TargetError end a run early; default 0, never, but see Iterations. Both compare the relative
	// error or, with KL, the relative divergence. Tolerance ends a run, or a block of a
	// recursion, when the error has changed by at most Tolerance times itself between two checks.
	// There is a check every CheckEvery iterations, default 10. Tolerance waits for the last phase of a
	// method: the coordinate steps of KL, the end of the growth of ρ and of the multiplier of the zeros
	// of a sparse M, sparsities near the targets of SNMF. If all iterations since the last check were undone,
	// up to nine of them, it waits for the next one. TargetError ends a run when the error is at most
	// TargetError: a recursion after a block, SolverAccelerated and KL after an iteration, other methods at a
	// check. GNMU may reach the target while V W still exceeds M.
	// Exact steps after that may raise the error above the target, which a note then says.
	Tolerance   float64
	CheckEvery  int
	TargetError float64

	// TimeLimit stops a run after this time; the result then holds the factors computed so far.
	// Default 0, none. The limit is checked before every HALS step and within longer work, such
	// as exact steps. Factors that could not be made feasible in time stay as they are
	// (FeasibleFinal), or are left out (FeasibleEach in a recursion).
	TimeLimit time.Duration
}

// Watch says who hears of a run while it goes on.
type Watch struct {
	// Progress, if set, is called a few times per second, never twice at once. Iterated, if
	// set, is called at the end of each iteration k = 1, 2, ... of each block; restarts that
	// run side by side call it concurrently. If they panic, Factor panics with the same value,
	// after all goroutines have ended.
	Progress func(Progress)
	Iterated func(k int)

	// Checkpoint, if set, saves the state of a run, or resumes it.
	Checkpoint *Checkpoint
}

// Progress describes the progress of a run for display.
type Progress = outcome.Progress

// Check returns the method and the settings as Factor uses them for M and a rank: with
// the paper's defaults filled in. It uses the shape of M, and the fields of an Observed and a
// Part, but not the entries of M. The error, which names the first bad option, is the one that
// Factor would return. Factor takes the result as well and does the same. With the start V and W, Check is for
// FactorFrom. Of several processes
// M counts as incomplete if this process gives a mask or weights; Factor asks all. The default of
// MissingSolver depends on the weights of all of them, and stays "" here.
func Check[T Float](m Matrix[T], rank int, method Method, settings *Settings, vw ...Dense[T]) (Method, Settings, error) {
	start := given[T]{rank: rank}
	switch len(vw) {
	case 0:
	case 2:
		start.v, start.w, start.start = vw[0], vw[1], true
	default:
		return method, Settings{}, fault.Bad("a start of %d factors; give V and W, or none", len(vw))
	}
	_, o, err := unwrap(m)
	if err == nil {
		err = start.check(o.Own.Rows.Len(), o.Own.Cols.Len())
	}
	if err != nil {
		return method, Settings{}, err
	}
	p, s, err := prepare(o, start.rank, method, settings, start.start)
	return p.method, s, err
}

// prepare is Check with all that the method needs, also for a given start. Of several
// processes, which entries count is not settled here.
func prepare(o outline.Matrix, rank int, method Method, settings *Settings, given bool) (resolved, Settings, error) {
	m, n := o.Rows, o.Cols
	method = cmp.Or[Method](method, NMF{})
	if v := reflect.ValueOf(method); v.Kind() == reflect.Pointer && v.IsNil() {
		return resolved{}, Settings{}, fault.Bad("the method is a nil %T; pass a value, or nil itself for the default", method)
	}
	s := check.Given(settings)
	if err := checkRank(rank, m, n); err != nil {
		return resolved{}, s, err
	}
	if o.Processes == nil {
		if err := o.Settle(); err != nil {
			return resolved{}, s, err
		}
	}
	if c, ok := method.(fixing); ok && s.fixes() {
		method = c.forFixed()
	}
	p, err := method.prepare(rank)
	p.Matrix = o
	if err != nil {
		return p, s, err
	}
	p.Facts = combination.Of(p.method.Name())
	p.usual = cmp.Or(p.usual, p.Iterations)
	p.lagrange = cmp.Or(p.lagrange, &GNMU{})
	err = cmp.Or(
		p.checkShapes(m, n),
		s.checkMissingSolver(&p),
		check.Count("number of iterations", &s.Iterations, p.untilRest(&s)),
		check.Count("check interval", &s.CheckEvery, 10),
		check.Threads(&s.Threads),
		s.checkStart(given),
		s.checkFixed(m, n, rank),
	)
	if err != nil {
		return p, s, err
	}
	for _, c := range []struct {
		holds bool
		*combination.Condition
	}{{o.Processes != nil, &combination.InParts}, {o.Incomplete(), &combination.Incomplete}, {o.Entries.Weights != nil, &combination.Weighted}, {s.fixes(), &combination.Held}, {p.divergence, &combination.Counted}, {p.divergence && !p.coordinates, &combination.Multiplied}, {o.Incomplete() && s.MissingSolver == MissingExact, &combination.ByLine}} {
		if c.holds {
			if err := p.check(c.Condition, s, false); err != nil {
				return p, s, err
			}
		}
	}
	return p, s, cmp.Or(check.Number("tolerance", s.Tolerance, math.Inf(1)), check.Number("target error", s.TargetError, math.Inf(1)), check.Number("time limit", s.TimeLimit.Seconds(), math.Inf(1)))
}

// checkRank checks the number of factors of an m x n matrix. It may be larger than m and n:
// NMF then finds more parts than the matrix has rows or columns.
func checkRank(rank, m, n int) error {
	const bytes = 64 // for an entry of V, W or of a Gram matrix, with room for some copies
	switch r := float64(rank); {
	case rank < 1:
		return fault.Bad("rank %d; choose 1 or more", rank)
	case r*(r+float64(m)+float64(n))*bytes > math.MaxInt:
		return fault.Bad("rank %d for a %d x %d matrix, whose factors are beyond the range of memory", rank, m, n)
	}
	if most := mostRank(float64(m), float64(n)); float64(rank) > most {
		return fault.Bad("rank %d for a %d x %d matrix, of which %d factors can equal M; choose 1 to %.0f", rank, m, n, min(m, n), most)
	}
	return nil
}

// mostRank returns the largest number of factors of an m x n matrix. V, W and a Gram matrix then
// have at most 8 times the entries of M together, or 2^24 entries, some 1 GiB with their copies.
// It is at least min(m, n).
func mostRank(m, n float64) float64 {
	entries := max(1<<24, float64(8*m*n))
	return math.Floor(2 * entries / (m + n + math.Sqrt(float64((m+n)*(m+n))+float64(4*entries))))
}

// mostSpan is the largest ratio of two weights for which MissingMajorize is the default. With 10
// it gets within 0.1 % of the error of MissingExact in the same iterations, with 100 often not
// within a factor of 2. The few steps of an underapproximation between two updates of the
// multipliers suffer from any weights. docs/missing.md has the measurements.
const mostSpan = 10

// checkMissingSolver checks the solver for missing entries, and fills it in once it is known
// which entries count.
func (s *Settings) checkMissingSolver(p *resolved) error {
	switch {
	case s.MissingSolver != "":
		return check.Word("solver for missing entries", s.MissingSolver, combination.MissingSolvers)
	case !p.Incomplete() || !p.StoredOnly && !p.Settled:
	default:
		s.MissingSolver = p.missingSolver()
	}
	return nil
}

// missingSolver returns the default of Settings.MissingSolver, once it is known which entries count.
func (p *resolved) missingSolver() Choice {
	if p.Entries.Weights != nil && !p.divergence && (p.Underapproximates || p.Entries.Largest > mostSpan*p.Entries.Least) {
		return MissingExact
	}
	return MissingMajorize
}

// checkStart fills in the start and the number of runs from it.
func (s *Settings) checkStart(given bool) error {
	byDefault := 1
	switch {
	case given && s.Init != "":
		return fault.Bad("start %q beside a given one", s.Init)
	case given:
	case s.Init.drawn():
		s.Init, byDefault = cmp.Or(s.Init, InitRandom), 10
	default:
		if err := check.Word("start", s.Init, combination.Inits); err != nil {
			return err
		}
	}
	if s.Restarts > 1 && (given || !s.Init.drawn()) {
		return fault.Bad("%d restarts from one start; choose 1, or random starts", s.Restarts)
	}
	return check.Count("number of restarts", &s.Restarts, byDefault)
}

// run is what a run has to know of the settings, with all defaults.
func (s *Settings) run(p resolved) run.Settings {
	race := p.usual
	if s.FullRestarts || !p.races() {
		race = 0
	}
	return run.Settings{
		Settings: method.Settings{
			Iterations: s.Iterations, CheckEvery: s.CheckEvery, Tolerance: s.Tolerance, TargetError: s.TargetError, Record: s.Record, Iterated: s.Iterated,
		},
		Restarts: s.Restarts, Race: race, Falls: p.falls(), Threads: s.Threads, Seed: s.Seed, TimeLimit: s.TimeLimit, Checkpoint: (*run.Checkpoint)(s.Checkpoint), Progress: s.Progress,
	}
}
