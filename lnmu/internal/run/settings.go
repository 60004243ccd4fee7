package run

import (
	"cmp"
	"io"
	"time"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/state"
)

// Settings say how a method is run. They are those of the type of that name in package
// lnmu, with all defaults.
type Settings struct {
	Iterations, CheckEvery int
	Restarts, Threads      int
	Seed                   uint64
	Tolerance, TargetError float64
	TimeLimit              time.Duration
	Record                 bool
	Checkpoint             *Checkpoint
	Progress               func(Progress)
	Iterated               func(k int)
}

// Progress is a state of the work, for display.
type Progress struct {
	Restart, Restarts     int
	Factor, Rank          int
	Iteration, Iterations int
	RelativeError         float64
	Elapsed, Remaining    time.Duration
}

// Method is what is run.
type Method struct {
	core.Plan

	// Solve finds the factors of a problem from its start.
	Solve func(l *method.Loop, p core.Problem) method.Trace

	// ExactSteps is the largest number of exact steps that make V W <= M exact, or 0: of
	// every block, or of the result in the end.
	ExactSteps int
	InTheEnd   bool
}

// Matrix is what a run has to know of M beside where it is stored.
type Matrix struct {
	core.Storage
	Norm, Largest float64
	Precision     float64       // the distance from 1 to the next number
	Bytes         int           // of its stored entries
	Files         bool          // it is read from files in every pass
	Incomplete    bool          // entries are missing, or have weights
	Reading       time.Duration // what it took to read M, if it is in files
	Loose         bool          // the error of a finished result is measured otherwise than on the way
}

// Result is a factorization and how it came about. Its fields are those of the type of
// that name in package lnmu.
type Result struct {
	core.Factors
	RelativeError, RelativeL1       float64
	MaxViolation                    float64
	ViolationBound                  bool
	RelativeViolation               float64
	Blocks                          []core.Block
	Revived                         int
	Stop                            core.Stop
	Seed                            uint64
	BestRestart                     int
	RestartsBegun, RestartsFinished int
	Level                           string
}

// compare orders the results of restarts, whichever of them ends first: the best
// one comes first, of equal ones the one that began first. An error that is not a
// number, since V W is beyond the range of its type, is the worst.
func (r *Result) compare(other *Result) int {
	return cmp.Or(
		cmp.Compare(-other.objective(), -r.objective()), // -, because Compare puts NaN first
		r.BestRestart-other.BestRestart,
	)
}

// objective is what decides between restarts: the relative error in the norm that
// was minimised.
func (r *Result) objective() float64 {
	if r.RelativeL1 > 0 {
		return r.RelativeL1
	}
	return r.RelativeError
}

// Checkpoint asks a run for its state on the way, or lets it go on from one. Its fields are
// those of the type of that name in package lnmu.
type Checkpoint struct {
	Save         func(state io.WriterTo)
	After, Every time.Duration
	Note         []byte
	Resume       io.Reader
}

// restartState is a restart that was begun and has not ended.
type restartState struct {
	restart int
	taken   bool           // by a runner
	state   []byte         // its last state, if restarts run side by side or it is not taken yet; empty: its beginning
	stream  *state.Decoder // its state in the file, which is the last there
	epoch   int            // the state that it has contributed to
}

// saving is what a job knows of its checkpoints, guarded by its mutex.
type saving struct {
	states  []*restartState
	alone   bool // one restart runs at a time: its state need not be copied
	epoch   int  // number of the state that is being collected,
	written int  // and of the last one that was handed out
	due     time.Time
	failed  error // of a state that could not be resumed

	saves bool // process 0 has checkpoints
}
