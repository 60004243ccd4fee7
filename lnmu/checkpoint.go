package lnmu

import (
	"fmt"
	"io"
	"reflect"
	"time"

	"nmu/lnmu/factors"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/run"
)

// Checkpoint saves the state of a run, or resumes a run from one. The resumed run ends with the
// same bits as an uninterrupted one, also on another machine and with another number of
// threads.
//
// A state holds the finished factors, the best restart so far, and for each unfinished
// restart the factors and everything that its iterations change. It is about as large as V,
// W and, for underapproximations, M. The iterations wait while it is written from memory.
// States of small matrices, whose restarts run side by side, are copied first.
//
// A resumed run computes again what follows from M and the settings alone. StepLength and
// ZeroMultiplier must therefore be the same functions.
type Checkpoint struct {
	// Save is called with the state at the end of an iteration. The first call comes after
	// the time After. The time between two calls is at least Every, and at least 19 times
	// what the last call took. With Every 0, Save is called for every new state. If a time
	// limit or a cancellation ends the run, a last call follows at once; with M in memory, the
	// run finishes its iteration before. Calls never overlap. The state is invalid after Save
	// returns. Save handles errors of WriteTo, including cancellation. The run goes on in any
	// case.
	Save         func(state io.WriterTo)
	After, Every time.Duration

	// Note is stored in the states; ReadNote returns it.
	Note []byte

	// Resume, if set, is the reader of the state from which the run goes on. The time that
	// the earlier run took counts for TimeLimit and Progress.
	Resume io.Reader
}

// ReadNote reads the state in Resume to its end and returns its Note. The error, which wraps
// ErrCheckpoint, says whether the state is incomplete or damaged.
func (c Checkpoint) ReadNote() (note []byte, err error) { return run.Note(c.Resume) }

// identity returns what a run and the one that saved its state must have in common, except a
// given start. Each line holds one property.
//
// sums returns the hashes of the mask and of the weights.
func identity[T Float](m run.Matrix, p resolved, s Settings, rank int, sums func() (mask, weights string)) string {
	of := []any{
		"rows", p.Rows, "columns", p.Cols, "stored entries", m.Entries, "norm of M", m.Norm, "largest entry of M", m.Largest,
		"precision", fmt.Sprintf("%T", T(0)), "rank", rank, "method", p.Name,
	}
	run.EachField(reflect.ValueOf(p.method), func(name string, value reflect.Value) { of = append(of, "option "+name, value) })
	of = append(of,
		"iterations", s.Iterations, "start", s.Init, "seed", s.Seed, "restarts", s.Restarts, "restarts run to the end", s.FullRestarts,
		"tolerance", s.Tolerance, "check interval", s.CheckEvery, "target error", s.TargetError)
	if p.Incomplete() {
		mask, weights := sums()
		of = append(of, "solver for missing entries", s.MissingSolver, "what is not stored is missing", p.StoredOnly, "observed", mask, "weights", weights)
	}
	if s.fixes() {
		of = append(of, "fixed V", factors.SHA256(s.FixedV), "fixed W", factors.SHA256(s.FixedW), "baseline", s.Baseline)
	}
	return codec.Properties(of...)
}
