package run

import (
	"cmp"
	"io"
	"time"

	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/outcome"
)

// Settings say how a method is run: lnmu.Settings with all defaults.
type Settings struct {
	method.Settings
	Restarts, Threads int
	Race              int  // the usual number of iterations, after a tenth of which restarts are left behind; 0: none are
	Falls             bool // no iteration of the method raises what it minimises
	Seed              uint64
	TimeLimit         time.Duration
	Checkpoint        *Checkpoint
	Progress          func(outcome.Progress)
}

// Method is the method that a job runs.
type Method struct {
	core.Plan

	// Solve finds the factors of a problem from its start.
	Solve func(l *method.Loop, p core.Problem) method.Trace

	// FeasibleSteps is the largest number of exact steps that make V W <= M exact, or 0. They
	// are made for every block or, if InTheEnd, for the result.
	FeasibleSteps int
	InTheEnd      bool
}

// Task is what a job is about, as far as it is known before M is read.
type Task struct {
	Comm       group.Comm // the processes that have parts of M
	Form       Form       // of M
	Incomplete bool       // entries of M are missing, or have weights
	Precision  float64    // the distance from 1 to the next number

	// FromStart says that the start is given. StartSums returns the hashes of its V and W.
	FromStart bool
	StartSums func() (v, w string)
	Known     *Result // the first blocks of a recursion, or nil

	// Identity returns the properties, one per line, that this run must share with the run
	// whose state it resumes, except a given start.
	Identity func(m Matrix) string
}

// Form says how M is stored.
type Form struct {
	Sparse bool // only some entries are stored; the error of a finished result is measured in another way
	Files  bool // it is read from files in every pass
}

// Matrix is M after it was read once.
type Matrix struct {
	core.Storage
	Norm, Largest float64
	Entries       int           // stored ones
	Bytes         int           // of these
	Reading       time.Duration // the time of reading M once, if it is in files
}

// Result is a factorization. Its report lacks what package lnmu adds.
type Result struct {
	core.Factors
	outcome.Report
	Noise float64 // bound on the rounding errors of the squares of RelativeError and RelativeViolation, where they may matter
	Fell  float64 // part by which what the method minimises fell in the last tenth of all iterations, at least 0
	Light float64 // of the last start from columns of M: see method.StartColumns
	Ran   []Ran   // the restarts
}

// compare orders the results of restarts, whichever ends first: the best one comes first, of
// equal ones the one that began first. NaN, where V W leaves the range of its type, is the
// worst. objective returns the number that decides.
func (r *Result) compare(other *Result, objective func(*Result) float64) int {
	return cmp.Or(
		cmp.Compare(-objective(other), -objective(r)), // -, because Compare puts NaN first
		r.BestRestart-other.BestRestart,
	)
}

// objective returns the number that decides between the restarts of a method: the relative error
// in the norm that it minimises, or the relative divergence. Either may be 0.
func (m *Method) objective(r *Result) float64 {
	switch {
	case m.Divergence:
		return r.RelativeDivergence
	case m.L1:
		return r.RelativeL1
	}
	return r.RelativeError
}

// Checkpoint saves the states of a run, or resumes one. Its fields are those of
// lnmu.Checkpoint.
type Checkpoint struct {
	Save         func(state io.WriterTo)
	After, Every time.Duration
	Note         []byte
	Resume       io.Reader
}

// restartState is an unfinished restart.
type restartState struct {
	restart int
	taken   bool           // by a worker
	left    bool           // it has made the present lap of a race
	paused  bool           // state is that at the end of a lap, of which each process has its part: it is not saved, but found again
	state   []byte         // its last state, if restarts run side by side or it is not taken yet; empty: its beginning
	stream  *codec.Decoder // its state, if it is the last one in the file
	epoch   int            // the last state to which it has contributed
}

// saving holds the checkpoints of a job. The mutex of the job guards it.
type saving struct {
	states  []*restartState
	alone   bool // one restart runs at a time: its state need not be copied
	epoch   int  // number of the state that is being collected
	written int  // number of the last state that was saved
	due     time.Time
	failed  error // error of a state that cannot be resumed

	resumed  bool // a state was loaded
	known    int  // restarts finished in the last state that was saved or loaded
	last     bool // the last state was saved at the end
	saves    bool // process 0 has checkpoints
	finishes bool // process 0 saves states
}
