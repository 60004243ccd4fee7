package lnmu

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"nmu/lnmu/internal/run"
)

// Checkpoint asks a run for its state on the way, or lets it go on from one. The
// resumed run ends with the same bits as an unbroken one, also on another machine and
// with another number of threads.
//
// A state holds the finished factors, the best restart so far, and of each restart
// that was under way the factors and whatever its iterations change: about as much as
// V, W and, for underapproximations, M. It is written as it lies in memory, without a
// copy, while the iterations wait; only those of small matrices, whose restarts run
// side by side, are copied.
//
// What is computed once, from M and the settings, is computed again. So the steps
// StepLength and ZeroMultiplier must be the functions that they were.
type Checkpoint struct {
	// Save is called with the state at the end of an iteration: not before the time
	// After since the beginning of the run, and then not before the time Every since
	// the end of the last call, or 19 times what that took. With Every 0 it is called
	// as often as there is a new state. It is never called twice at once. The state
	// is gone when Save returns. What becomes of an error of its WriteTo, which may
	// also be that the work is over, is for Save to decide: the run goes on.
	Save         func(state io.WriterTo)
	After, Every time.Duration

	// Note is kept with the states; CheckpointNote returns it.
	Note []byte

	// Resume, if set, is where a state is read from that the run goes on from. The
	// time that was spent before it counts for TimeLimit and Progress.
	Resume io.Reader
}

// CheckpointNote reads a state to its end and returns its Note. The error says whether
// the state is incomplete or damaged; in which case it wraps ErrCheckpoint.
func CheckpointNote(r io.Reader) (note []byte, err error) { return run.Note(r) }

// identity is what must be the same of the run that saved a state, but for a given start,
// one in a line. sums returns the hashes of the mask and of the weights.
func identity[T Float](j *run.Job, p resolved, s Settings, rows, cols int, sums func() (mask, weights string)) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s %v\n", name, value) }
	line("rows", rows)
	line("columns", cols)
	line("stored entries", j.Bytes/int(unsafe.Sizeof(T(0))))
	line("norm of M", j.Norm)
	line("largest entry of M", j.Largest)
	line("precision", fmt.Sprintf("%T", T(0)))
	line("rank", j.Rank)
	line("method", p.method.Describe().Name)
	eachField(reflect.ValueOf(p.method), func(name string, value reflect.Value) { line("option "+name, value) })
	line("iterations", s.Iterations)
	line("start", s.Init)
	line("seed", s.Seed)
	line("restarts", s.Restarts)
	line("tolerance", s.Tolerance)
	line("check interval", s.CheckEvery)
	line("target error", s.TargetError)
	if s.incomplete() {
		line("solver for missing entries", s.MissingSolver)
		line("what is not stored is missing", s.SparseMissing)
		mask, weights := sums()
		if s.Observed != nil {
			line("observed", mask)
		}
		if s.Weights != nil {
			line("weights", weights)
		}
	}
	if f := s.Fixed; f.any() {
		line("fixed V", SHA256(f.V))
		line("fixed W", SHA256(f.W))
		line("baseline", f.Baseline)
	}
	return b.String()
}

// eachField calls do for the fields of a struct in their order, and for those of structs
// within it: of an embedded one by their own names, of another one after its name. It
// leaves functions out, which cannot be compared.
func eachField(x reflect.Value, do func(name string, value reflect.Value)) {
	for i := range x.NumField() {
		f, value := x.Type().Field(i), x.Field(i)
		switch {
		case value.Kind() == reflect.Func:
		case value.Kind() != reflect.Struct:
			do(f.Name, value)
		case f.Anonymous:
			eachField(value, do)
		default:
			eachField(value, func(name string, value reflect.Value) { do(f.Name+"."+name, value) })
		}
	}
}
