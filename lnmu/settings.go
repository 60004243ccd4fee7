package lnmu

import (
	"cmp"
	"math"
	"reflect"
	"runtime"
	"slices"
	"time"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/run"
)

// Init is a way to choose the start.
type Init string

const (
	InitRandom Init = "random" // uniform in [0, 1), scaled by equation (scaling)
	InitSVD    Init = "svd"    // nonnegative parts of the first singular vectors, which are approximate, scaled

	// InitNested is InitRandom with a generator for each factor, so that the start of
	// the first factors does not depend on how many there are: see Continue.
	InitNested Init = "nested"
)

var inits = []Init{InitRandom, InitSVD, InitNested}

// drawn reports whether the start follows from the seed.
func (x Init) drawn() bool { return x == "" || x == InitRandom || x == InitNested }

// Inits returns all ways to choose the start.
func Inits() []Init { return slices.Clone(inits) }

// Settings say how a method is run, whichever it is. Nil settings, and the zero
// value of each field, stand for the paper's choice.
type Settings struct {
	// Iterations is the number of iterations, of each block in a recursion; the
	// default is that of the method's Description.
	Iterations int

	// Init is the start, default InitRandom; not for FactorFrom. Restarts is the
	// number of runs, from the seeds Seed, Seed+1, ...; the one of least error wins.
	// Default 10 for InitRandom (section 4.4) and InitNested, 1 else.
	Init     Init
	Restarts int
	Seed     uint64

	// Threads is the largest number of goroutines that compute; default
	// GOMAXPROCS. The result does not depend on it. Small matrices take fewer, and
	// with 1 no goroutine is started.
	Threads int

	// Tolerance stops a run (a block of a recursion) when the relative error
	// changed by no more than Tolerance times itself between two checks; default
	// 0, never. Checks come every CheckEvery iterations, default 10.
	Tolerance  float64
	CheckEvery int

	// TargetError ends a run when the relative error is at most TargetError: a
	// recursion after the first block at which it is, other methods at a check;
	// default 0, never. GNMU comes from below as well: its error is least where it
	// exceeds M most, in the first iterations.
	TargetError float64

	// TimeLimit stops the work when it has taken so long; what is there by then
	// is the result. Default 0, none. It is looked at before every HALS step and
	// within all that may take longer, exact steps included: what could not be made
	// feasible in time is not (FeasibleFinal), or is left out (FeasibleEach in a
	// recursion).
	TimeLimit time.Duration

	// Observed says which entries of M count; nil, the default, stands for all. The
	// others may hold anything, NaN included, and M is copied. Errors, violations and the constraint
	// V W <= M are those of the observed entries. A row or column without an observed
	// entry is an error. Weights are weights w >= 0 of the squares of M - V W, of which
	// only the ratios matter; nil, the default, stands for equal ones, and an entry of
	// weight 0 is a missing one. With weights, RelativeError and RelativeViolation are
	// weighted too. MissingSolver is how both are dealt with, default MissingMajorize.
	// A mask of all entries, and weights that are equal, change no bit. SparseMissing
	// is for a CSR: the entries that M does not store are missing, not zero.
	Observed      *Mask
	Weights       Matrix[float64]
	MissingSolver MissingSolver
	SparseMissing bool

	// Overwrite lets Factor destroy M where that saves memory: a single run then
	// needs no more than twice the memory of M. Several restarts leave M alone, and
	// so does FeasibleFinal. A given start must not share memory with M then.
	Overwrite bool

	// Processes, if set, are those that factor M together, each of them Part of it: what
	// Factor is given as M is this part alone, a matrix of 0 rows or columns if Share
	// leaves nothing to this process. Result.V has the rows of the part then, if M is
	// tall, or Result.W its columns, as has the V or W of a given start; NewDistributedFactor reads the
	// whole of that factor, which no process holds. The other factor and all numbers are
	// those of the whole, the same in every process and, bit for bit, the same as of one
	// process alone. Method and settings must be the same in all. Restarts run one after
	// the other. The context, TimeLimit, Progress and Checkpoint of process 0 count, and
	// those of others do not. If a process refuses its part, the error of the others wraps
	// ErrProcess. Missing entries and weights are not for processes; for a CSR, neither are
	// SNMF, fixed factors and InitSVD. With Hoyer, InitSVD, priors, exact steps and the norm
	// L1, each process holds vectors as long as the whole M. For exact steps and the norm L1,
	// the processes share the columns of a tall M, or the rows of a wide one, and exchange
	// them in panels of at most 256 MiB.
	Processes Processes
	Part      Part

	// Scratch is the folder for the entries of a StoredCSR in the order of the passes, and
	// for what is of the size of a Stored M, or one like that, and changes: the state of
	// GNMU and RNMU, and what is left of M by the blocks of RNMU. Default "", the system's
	// folder for temporary files. The files have no names on unix, and are gone in the end.
	Scratch string

	// Checkpoint, if set, lets a run go on later from where it was.
	Checkpoint *Checkpoint

	// Fixed are parts of the factors that are known; default none. Several processes all
	// give those of the whole M.
	Fixed Fixed

	// Record fills Block.History without Tolerance and TargetError too, which costs
	// the time of the checks and changes no bit of the result.
	Record bool

	// Progress, if set, is called a few times per second, never twice at once.
	// Iterated, if set, is called at the end of each iteration k = 1, 2, ... of each
	// block; restarts that run side by side call it concurrently. What they panic
	// with, Factor panics with, when all goroutines have ended.
	Progress func(Progress)
	Iterated func(k int)
}

// Progress is a state of the work, for display.
type Progress struct {
	Restart, Restarts     int // 1-based
	Factor, Rank          int // factors finished before the current block, of how many
	Iteration, Iterations int // of the current block
	RelativeError         float64
	Elapsed, Remaining    time.Duration // Remaining is an estimate
}

// WithDefaults returns the method and the settings as Factor uses them for an m x n
// matrix and a rank: with the paper's defaults filled in. The error, which names the
// first bad option, is the one that Factor would return. Factor takes the result as
// well and does the same.
func WithDefaults(m, n, rank int, method Method, settings *Settings) (Method, Settings, error) {
	p, s, err := prepare(m, n, rank, method, settings, false)
	return p.method, s, err
}

// WithDefaultsFrom is WithDefaults for FactorFrom, with the start V and W, which it
// checks; of several processes, those of its part of the m x n matrix.
func WithDefaultsFrom[T Float](m, n int, v, w Dense[T], method Method, settings *Settings) (Method, Settings, error) {
	start := given[T]{rank: v.Cols, v: v, w: w, start: true}
	rows, cols := m, n
	if p := processesOf(settings); p.Size() > 1 {
		if first, last := Share(m, n, p.Rank(), p.Size()); n > m {
			cols = last - first
		} else {
			rows = last - first
		}
	}
	if err := start.check(rows, cols); err != nil {
		return method, Settings{}, err
	}
	p, s, err := prepare(m, n, v.Cols, method, settings, true)
	return p.method, s, err
}

// prepare is WithDefaults with all that the method needs, also for a given start.
func prepare(m, n, rank int, method Method, settings *Settings, given bool) (resolved, Settings, error) {
	if method == nil {
		method = RNMU{}
	}
	if v := reflect.ValueOf(method); v.Kind() == reflect.Pointer && v.IsNil() {
		return resolved{}, Settings{}, core.Bad("the method is a nil %T; pass a value, or nil itself for the default", method)
	}
	var s Settings
	if settings != nil {
		s = *settings
	}
	if rank < 1 || rank > min(m, n) {
		return resolved{}, s, core.Bad("rank %d for a %d x %d matrix; choose 1 to %d", rank, m, n, min(m, n))
	}
	if err := s.checkMissing(m, n); err != nil {
		return resolved{}, s, err
	}
	if c, ok := method.(completed); ok && s.incomplete() {
		method = c.forIncomplete()
	}
	p, err := method.prepare(rank)
	if err != nil {
		return p, s, err
	}
	if err := p.priors.checkShapes(m, n); err != nil {
		return p, s, err
	}
	if p.lagrange == nil {
		p.lagrange = &Lagrangian{}
	}
	d := method.Describe()
	err = atLeast([]wholeNumber{
		{"number of iterations", &s.Iterations, cmp.Or(p.most, d.Iterations)},
		{"check interval", &s.CheckEvery, 10},
		{"number of threads", &s.Threads, runtime.GOMAXPROCS(0)},
	})
	if err != nil {
		return p, s, err
	}
	if err := s.checkStart(given); err != nil {
		return p, s, err
	}
	if err := s.Fixed.check(m, n, rank); err != nil {
		return p, s, err
	}
	if s.Processes == nil && s.Part != (Part{}) {
		return p, s, core.Bad("a part of M (Settings.Part) without Settings.Processes; leave it out")
	}
	for _, c := range []struct {
		holds bool
		*condition
	}{{s.Processes != nil, &inParts}, {s.incomplete(), &incomplete}, {s.Weights != nil, &weighted}, {s.Fixed.any(), &held}} {
		if c.holds {
			if err := c.refuses(p.asks(s, false)); err != nil {
				return p, s, err
			}
		}
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"tolerance", s.Tolerance}, {"target error", s.TargetError}, {"time limit", s.TimeLimit.Seconds()}} {
		if !(x.value >= 0) || math.IsInf(x.value, 0) {
			return p, s, core.Bad("%s %v; choose a finite number >= 0", x.name, x.value)
		}
	}
	return p, s, nil
}

// checkStart fills in the start and the number of runs from it.
func (s *Settings) checkStart(given bool) error {
	byDefault := 1
	switch {
	case given && s.Init != "":
		return core.Bad("start %q beside a given one", s.Init)
	case given:
	case s.Init.drawn():
		s.Init, byDefault = cmp.Or(s.Init, InitRandom), 10
	default:
		if err := known("start", s.Init, inits); err != nil {
			return err
		}
	}
	if s.Restarts > 1 && (given || !s.Init.drawn()) {
		return core.Bad("%d restarts from one start; choose 1, or random starts", s.Restarts)
	}
	return atLeast([]wholeNumber{{"number of restarts", &s.Restarts, byDefault}})
}

// run is what a run has to know of the settings, with all defaults.
func (s *Settings) run() run.Settings {
	r := run.Settings{
		Iterations: s.Iterations, CheckEvery: s.CheckEvery, Restarts: s.Restarts, Threads: s.Threads, Seed: s.Seed,
		Tolerance: s.Tolerance, TargetError: s.TargetError, TimeLimit: s.TimeLimit, Record: s.Record,
		Checkpoint: (*run.Checkpoint)(s.Checkpoint), Iterated: s.Iterated,
	}
	if s.Progress != nil {
		r.Progress = func(p run.Progress) { s.Progress(Progress(p)) }
	}
	return r
}
