package rank

import (
	"math"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/several"
)

// Settings say how ranks are compared. Nil settings, and the zero value of each field,
// stand for the default.
type Settings struct {
	// Settings are those of the runs. Restarts is the number of runs of all observed entries,
	// from the seeds Seed, Seed+1, ...; here its default is 1. There is one run for each fold,
	// from the same seeds. The runs share Threads, and TimeLimit is for all of them together.
	// TargetError and Overwrite are refused, Progress is not used, and Iterated is called
	// concurrently.
	lnmu.Settings

	// Folds is the number of parts of the observed entries, each of which is held out once. The
	// default is 5, at most 250. With 1 nothing is held out.
	Folds int

	// SideBySide is the largest number of concurrent runs, each with memory of its own; default
	// Threads. The result does not depend on it.
	SideBySide int

	// Consensus keeps the consensus matrix of each rank: Agreement.Consensus.
	Consensus bool

	// Report, if set, is called a few times per second, never concurrently.
	Report func(Progress)
}

// mostRestarts bounds the number of restarts: all of them are compared with each other.
const mostRestarts = 10000

// Progress is a state of the work, for display.
type Progress struct {
	Finished, Runs     int
	Elapsed, Remaining time.Duration // Remaining is an estimate
}

// WithDefaults returns the ranks in increasing order, without duplicates, and the method and
// the settings as Curve uses them for M. The error wraps lnmu.ErrShape or lnmu.ErrOption, names
// the first bad argument, and is the one that Curve would return.
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
	o, ranks, method, err := several.WithDefaults(m, ranks, method, &s.Settings)
	if err != nil {
		return o, ranks, method, s, err
	}
	for _, x := range []struct {
		name          string
		value         *int
		byDefault, to int
	}{{"number of folds", &s.Folds, 5, most}, {"number of restarts", &s.Restarts, 1, mostRestarts}, {"number of runs side by side", &s.SideBySide, s.Threads, math.MaxInt}} {
		if *x.value < 0 || *x.value > x.to {
			return o, ranks, method, s, several.Bad("%s %d; choose 1 to %d, or 0 for the default", x.name, *x.value, x.to)
		}
		if *x.value == 0 {
			*x.value = x.byDefault
		}
	}
	switch {
	case s.TargetError > 0:
		err = several.Bad("target error %v: the runs for all ranks have to end alike", s.TargetError)
	case s.Overwrite:
		err = several.Bad("overwrite: all runs read M")
	default:
		err = several.CheckRuns(len(ranks), s.Folds+s.Restarts)
	}
	return o, ranks, method, s, err
}

// prefixes reports whether the first r factors of a run by a method, with all defaults,
// are its answer for rank r.
func prefixes(method lnmu.Method) bool {
	m, ok := method.(lnmu.RNMU)
	return ok && m.Block == 1 && m.Feasible != lnmu.FeasibleFinal
}
