package consensus

import (
	"math"
	"slices"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/several"
)

// Resample says in what the runs differ beside their starts.
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

// Settings say how the runs are made. Nil settings, and the zero value of each field, stand for
// the default.
type Settings struct {
	// Settings are those of the runs. Seed is that of the first run. Restarts is the number of
	// starts in each run, of which the best counts; here its default is 1. The runs share
	// Threads, and TimeLimit is for all of them together. Checkpoint saves finished runs.
	// TargetError, Overwrite and Fixed are refused, Progress is not used, and Iterated is called
	// concurrently.
	lnmu.Settings

	// Runs is the number of runs for each rank, default 100, at least 2 and at most 10000.
	Runs int

	// Resample says in what the runs differ, default Starts.
	Resample Resample

	// Level is the share of the runs whose entries lie within an interval, default 0.95.
	Level float64

	// SideBySide is the largest number of concurrent runs, each with memory of its own; default
	// Threads. The result does not depend on it.
	SideBySide int

	// Report, if set, is called a few times per second, never concurrently.
	Report func(Progress)
}

// mostRuns bounds the number of runs for a rank.
const mostRuns = 10000

// Progress is a state of the work, for display.
type Progress struct {
	Finished, Runs     int
	Elapsed, Remaining time.Duration // Remaining is an estimate
}

// WithDefaults returns the ranks in increasing order, without duplicates, and the method and
// the settings as Find uses them for M. The error wraps lnmu.ErrShape or lnmu.ErrOption, names
// the first bad argument, and is the one that Find would return.
func WithDefaults[T lnmu.Float](m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) ([]int, lnmu.Method, Settings, error) {
	_, ranks, method, s, err := withDefaults(m, ranks, method, settings)
	return ranks, method, s, err
}

// withDefaults is WithDefaults, and returns M in its normal form too.
func withDefaults[T lnmu.Float](m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (lnmu.Observed[T], []int, lnmu.Method, Settings, error) {
	var s Settings
	if settings != nil {
		s = *settings
	}
	point := s.Checkpoint // which the runs do not have
	s.Checkpoint = nil
	if method == nil {
		method = lnmu.NMF{}
	}
	o, ranks, method, err := several.WithDefaults(m, ranks, method, &s.Settings)
	if err != nil {
		return o, ranks, method, s, err
	}
	s.Checkpoint = point
	if s.Runs == 0 {
		s.Runs = 100
	}
	if s.Level == 0 {
		s.Level = 0.95
	}
	if s.SideBySide == 0 {
		s.SideBySide = s.Threads
	}
	switch {
	case s.Runs < 2 || s.Runs > mostRuns:
		err = several.Bad("number of runs %d; choose 2 to %d, or 0 for the default", s.Runs, mostRuns)
	case s.Resample != Starts && !slices.Contains(Resamples(), s.Resample):
		err = several.Bad("resampling %q; choose %q, %q, or none", s.Resample, Columns, Poisson)
	case !(s.Level > 0 && s.Level < 1):
		err = several.Bad("level %v of the intervals; choose a share between 0 and 1, such as 0.95", s.Level)
	case s.SideBySide < 0:
		err = several.Bad("number of runs side by side %d; choose 1 or more, or 0 for the default", s.SideBySide)
	case uint64(s.Runs)*uint64(s.Restarts) > math.MaxInt32:
		err = several.Bad("%d runs of %d starts each; choose fewer", s.Runs, s.Restarts)
	case s.Resample == Starts && s.Init != lnmu.InitRandom && s.Init != lnmu.InitNested:
		err = several.Bad("start %q, from which all runs are equal; choose a random one, or resample", s.Init)
	case s.TargetError > 0:
		err = several.Bad("target error %v: all runs have to end alike", s.TargetError)
	case s.Overwrite:
		err = several.Bad("overwrite: all runs read M")
	case s.Fixed.V.Data != nil || s.Fixed.W.Data != nil || s.Fixed.Baseline:
		err = several.Bad("fixed factors: the runs have to find all parts")
	default:
		err = several.CheckRuns(len(ranks), s.Runs)
	}
	return o, ranks, method, s, err
}
