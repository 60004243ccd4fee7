package compare

import (
	"cmp"
	"math"
	"slices"

	"nmu/lnmu"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/outline"
)

// Evaluation says what a comparison measures, and so what its runs are.
type Evaluation string

const (
	EvaluateHeldOut   Evaluation = "held-out errors" // by HeldOut
	EvaluateStability Evaluation = "stability"       // by Stability
)

// Resample says in what the runs of Stability differ beside their starts.
type Resample string

const (
	// Starts are runs of M itself. They show how far the parts depend on the start, and
	// nothing of the noise in M.
	Starts Resample = ""

	// Columns are runs of matrices whose columns are drawn from those of M with replacement: a
	// bootstrap of the samples. The weights of the columns of M are then fitted to rows drawn
	// with replacement.
	Columns Resample = "columns"

	// Poisson are runs of matrices of counts, each drawn from the Poisson distribution whose
	// mean is the entry of M. It is for counts whose noise is that of counting.
	Poisson Resample = "poisson"
)

// Resamples returns all ways to resample but Starts.
func Resamples() []Resample { return []Resample{Columns, Poisson} }

// Settings say how ranks are compared. Nil settings, and the zero value of each field, stand for
// the default.
type Settings struct {
	// Start has the seed of the folds and of the first run. HeldOut makes Restarts runs of all observed
	// entries, from the seeds Seed, Seed+1, ...; the runs of the folds have the same seeds.
	// Stability makes Restarts starts in each run, of which the best counts; run q = 0, 1, ...
	// begins with Seed + q·Restarts. The default of Restarts is 1. All starts run to the end.
	lnmu.Start

	// Limits are those of each run, but for TimeLimit, which ends all runs together. TargetError is refused.
	//
	// Without Iterations a run goes on until its error is at rest, because parts of runs that still
	// move differ: Tolerance is 1e-6, and Iterations is three times the default of a single run. With
	// Iterations the defaults are those of lnmu.Settings. So are those of underapproximations, whose
	// multipliers follow a schedule.
	lnmu.Limits

	// Watch calls Progress a few times per second, never concurrently, and Iterated for each run,
	// concurrently. Checkpoint saves finished runs, or goes on from them; the time before it counts
	// for TimeLimit.
	lnmu.Watch

	// MissingSolver and Threads are as in lnmu.Settings; the runs share the threads. SideBySide is the
	// largest number of concurrent runs, each with memory of its own; default Threads.
	MissingSolver lnmu.Choice
	Threads       int
	SideBySide    int

	// Folds is the number of parts of the observed entries, each of which HeldOut holds out once.
	// The default is 5, at most 250. With 1 nothing is held out. Consensus keeps the consensus map of
	// each rank: Agreement.Map. Stability refuses both, and has all maps.
	Folds     int
	Consensus bool

	// Runs is the number of runs of Stability for each rank, 2 to 10000, default 100. Resample says
	// in what they differ, default Starts. Level is the share of the runs whose entries lie within
	// an interval, default 0.95. HeldOut refuses them.
	Runs     int
	Resample Resample
	Level    float64
}

func (s *Settings) run() lnmu.Settings {
	run := lnmu.Settings{Start: s.Start, Limits: s.Limits, Watch: lnmu.Watch{Iterated: s.Iterated}, FullRestarts: true, Threads: s.Threads, MissingSolver: s.MissingSolver}
	run.TimeLimit = 0
	return run
}

// Plan is a comparison with all defaults.
type Plan struct {
	Evaluation Evaluation
	Ranks      []int // in increasing order, without duplicates
	Method     lnmu.Method
	Settings   Settings
}

// Runs that end at rest have this tolerance by default, and a limit of patience times the default iterations of the
// method. With a tolerance of 1e-5, planted parts that overlap recur in fewer cases.
const (
	rest     = 1e-6
	patience = 3
)

const (
	mostRuns    = 10000   // for a rank: all of them are compared with each other
	mostRunsAll = 1 << 20 // of a comparison, which are listed before the first one begins
)

// Check returns the plan of an evaluation of M at some ranks by a method, NMF{} if it is
// nil. The error wraps lnmu.ErrShape or lnmu.ErrOption, names the first bad argument, and is the
// one that the evaluation would return.
func Check[T lnmu.Float](e Evaluation, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (Plan, error) {
	_, p, err := withDefaults(e, m, ranks, method, settings)
	return p, err
}

// withDefaults is Check, and returns M in its normal form too.
func withDefaults[T lnmu.Float](e Evaluation, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (o lnmu.Observed[T], p Plan, err error) {
	p = Plan{e, slices.Compact(slices.Sorted(slices.Values(ranks))), cmp.Or[lnmu.Method](method, lnmu.NMF{}), check.Given(settings)}
	s := &p.Settings
	if o, err = (lnmu.Observed[T]{Matrix: m}).Normalized(); err != nil {
		return o, p, err
	}
	switch o.Matrix.(type) {
	case interface{ Room(lines int) int }, interface {
		Pointers(first, last int) ([]int, error)
	}, outline.Part[T]: // the first two: in files
		return o, p, fault.Bad("a matrix in files or the part of a process; read M into memory")
	}
	switch rows, cols := o.Dims(); {
	case o.StoredOnly:
		return o, p, fault.Bad("missing entries of a sparse matrix; give a dense one and a mask")
	case s.TargetError != 0:
		return o, p, fault.Bad("target error %v of a comparison, whose runs would all reach it; leave it out", s.TargetError)
	case len(ranks) == 0:
		return o, p, fault.Bad("there is no rank to try; name some from 1 to %d", min(rows, cols))
	}
	s.Restarts = cmp.Or(s.Restarts, 1)
	given := s.run()
	given.TimeLimit = s.TimeLimit
	if _, _, err = lnmu.Check(lnmu.Matrix[T](o), p.Ranks[0], p.Method, &given); err != nil {
		return o, p, err
	}
	used, with, err := lnmu.Check(lnmu.Matrix[T](o), p.Ranks[len(p.Ranks)-1], p.Method, &given)
	if err != nil {
		return o, p, err
	}
	if s.Iterations == 0 && !used.Underapproximates() {
		with.Iterations *= patience
		s.Tolerance = cmp.Or(s.Tolerance, rest)
	}
	p.Method, s.Iterations, s.Init, s.CheckEvery, s.MissingSolver, s.Threads = used, with.Iterations, with.Init, with.CheckEvery, with.MissingSolver, with.Threads
	return o, p, p.check()
}

// check checks the settings that single runs lack, and fills in their defaults.
func (p *Plan) check() error {
	s, heldOut := &p.Settings, p.Evaluation == EvaluateHeldOut
	for _, x := range []struct {
		name       string
		given, has bool // by the caller, and the evaluation
	}{
		{"folds", s.Folds != 0, heldOut}, {"consensus", s.Consensus, heldOut},
		{"runs", s.Runs != 0, !heldOut}, {"resampling", s.Resample != Starts, !heldOut}, {"level", s.Level != 0, !heldOut},
	} {
		if x.given && !x.has {
			return fault.Bad("a comparison by %s has no setting %s; leave it out", p.Evaluation, x.name)
		}
	}
	type count struct {
		name                   string
		value                  *int
		least, byDefault, most int
	}
	counts := []count{{"number of runs side by side", &s.SideBySide, 1, s.Threads, math.MaxInt}}
	if heldOut {
		counts = append(counts, count{"number of folds", &s.Folds, 1, 5, mostFolds}, count{"number of restarts", &s.Restarts, 1, 1, mostRuns})
	} else {
		counts = append(counts, count{"number of runs", &s.Runs, 2, 100, mostRuns})
		s.Level = cmp.Or(s.Level, 0.95)
	}
	for _, x := range counts {
		if *x.value = cmp.Or(*x.value, x.byDefault); *x.value < x.least || *x.value > x.most {
			return fault.Bad("%s %d; choose %d to %d, or 0 for the default", x.name, *x.value, x.least, x.most)
		}
	}
	if !heldOut {
		switch {
		case s.Resample != Starts && !slices.Contains(Resamples(), s.Resample):
			return fault.Bad("resampling %q; choose %q, %q, or none", s.Resample, Columns, Poisson)
		case !(s.Level > 0 && s.Level < 1):
			return fault.Bad("level %v of the intervals; choose a share between 0 and 1, such as 0.95", s.Level)
		case uint64(s.Runs)*uint64(s.Restarts) > math.MaxInt32:
			return fault.Bad("%d runs of %d starts each; choose fewer", s.Runs, s.Restarts)
		case s.Resample == Starts && s.Init != lnmu.InitRandom && s.Init != lnmu.InitNested:
			return fault.Bad("start %q, from which all runs are equal; choose a random one, or resample", s.Init)
		}
	}
	if each := p.each(); len(p.Ranks) > mostRunsAll/each {
		return fault.Bad("%d runs for each of %d ranks; choose fewer than %d runs in all", each, len(p.Ranks), mostRunsAll)
	}
	return nil
}

// folds returns the number of parts that are held out, which may be 0.
func (p *Plan) folds() int {
	if p.Settings.Folds == 1 {
		return 0
	}
	return p.Settings.Folds
}

// each returns the number of runs for a rank.
func (p *Plan) each() int {
	if p.Evaluation == EvaluateStability {
		return p.Settings.Runs
	}
	return p.folds() + p.Settings.Restarts
}

// prefixes reports whether one run gives the factors of all ranks: whether its first r factors,
// with all defaults, are the answer of the method for rank r.
func (p *Plan) prefixes() bool {
	m, ok := p.Method.(lnmu.RNMU)
	return ok && p.Evaluation == EvaluateHeldOut && m.Block == 1 && m.Feasible != lnmu.FeasibleFinal
}

// shared returns the number of ranks that share their runs.
func (p *Plan) shared() int {
	if p.prefixes() {
		return len(p.Ranks)
	}
	return 1
}

// teams returns the number of concurrent runs.
func (p *Plan) teams() int {
	return min(p.Settings.Threads, p.Settings.SideBySide, p.each()*len(p.Ranks)/p.shared())
}

// measured returns the divergence if the method minimises it, else the error.
func (p *Plan) measured(err, divergence float64) float64 {
	if p.divergence() {
		return divergence
	}
	return err
}

func (p *Plan) divergence() bool {
	_, ok := p.Method.(lnmu.KL)
	return ok
}
