package run

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"time"

	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// stateMagic begins a state. Its version changes with the fields of a state, and with the
// computations that go on from it.
const stateMagic = "nmu state 6\n"

// identity returns the properties, one per line, that a run must share with the run whose state
// it resumes.
func (j *Job) identity() string {
	id := j.Identity(j.Matrix)
	if j.FromStart {
		v, w := j.StartSums()
		id += fmt.Sprintf("given V %s\ngiven W %s\nsupports kept %v\n", v, w, j.Supports)
	}
	return id
}

// code encodes or decodes the fields of the job, with which a state begins.
func (j *Job) code(c codec.Coder) {
	elapsed := time.Since(j.started).Seconds()
	has := j.best != nil
	c.Do(state.Named("elapsed", &elapsed), state.Named("restarts taken", &j.next), state.Named("restarts finished", &j.finished), state.Named("has best", &has))
	j.codeRace(c)
	if c.Err() == nil && has {
		if j.best == nil {
			j.best = &Result{}
		}
		j.codeResult(c, j.best)
	}
	if d, ok := c.(*codec.Decoder); ok && d.Err() == nil {
		if !(elapsed >= 0 && elapsed < float64(math.MaxInt64/time.Second)) || j.next < 1 || j.next > j.Restarts || j.finished < 0 || j.finished > j.next {
			d.Damaged("%v seconds, and %d restarts of %d, of which %d are finished", elapsed, j.next, j.Restarts, j.finished)
			return
		}
		j.begun = j.next
		j.started = j.started.Add(-time.Duration(elapsed * float64(time.Second)))
	}
}

// codeResult encodes or decodes a result, whose rank is at most that of the job.
func (j *Job) codeResult(c codec.Coder, r *Result) {
	j.codeFactors(c, r)
	c.Do(
		state.Named("error", &r.RelativeError), state.Named("l1", &r.RelativeL1), state.Divergence(&r.RelativeDivergence),
		state.Named("violation", &r.MaxViolation), state.Named("bound", &r.ViolationBound), state.Named("relative violation", &r.RelativeViolation),
		state.Named("revived", &r.Revived), state.Named("fell", &r.Fell), state.Named("stop", (*string)(&r.Stop)),
		state.Named("seed", &r.BestSeed), state.Named("restart", &r.BestRestart), state.Named("level", &r.Level),
	)
	if d, ok := c.(*codec.Decoder); ok {
		rank := 0
		for _, b := range r.Blocks {
			if b.Rank <= rank || b.Rank > r.Rank() {
				d.Damaged("its best result has a block that ends at factor %d, after %d of %d", b.Rank, rank, r.Rank())
			}
			rank = b.Rank
		}
		if least := min(r.RelativeError, r.RelativeL1, r.RelativeDivergence, r.MaxViolation, r.RelativeViolation); least < 0 || r.BestRestart < 1 || r.BestRestart > j.Restarts {
			d.Damaged("its best result is restart %d of %d, and the least of its errors %v", r.BestRestart, j.Restarts, least)
		}
	}
}

// codeFactors encodes or decodes the factors and the blocks.
func (j *Job) codeFactors(c codec.Coder, r *Result) {
	rank := 0
	if r.Factors != nil {
		rank = r.Rank()
	}
	c.Do(state.Named("factors", &rank))
	if d, ok := c.(*codec.Decoder); ok {
		if rank < 0 || rank > j.Rank {
			d.Damaged("%d factors of %d", rank, j.Rank)
		}
		if d.Err() != nil {
			return
		}
		r.Factors = j.Factors(rank)
	}
	c.Do(r.Fields()...)
	codec.List(c, "blocks", &r.Blocks, core.BlockFields, func(b *outcome.Block) { codec.List(c, "exact steps", &b.Exact, core.StepFields, nil) })
}

// save passes a state to the caller. current writes the state of the only restart, or is nil.
// The mutex must be held.
func (j *Job) save(current func(e *codec.Encoder)) {
	c, begun := j.Checkpoint, time.Now()
	c.Save(codec.Writer(func(w io.Writer) error {
		e := codec.NewEncoder(w, j.Comm, func() bool { _, over := j.cut(); return over && !j.last })
		j.stream(e, current)
		return e.Err()
	}))
	j.written, j.known = j.epoch, j.finished
	j.due = codec.Due(begun, c.Every)
}

// stream writes a state.
func (j *Job) stream(e *codec.Encoder, current func(e *codec.Encoder)) {
	e.Write([]byte(stateMagic))
	if e.First() {
		identity := j.identity()
		e.Do(state.Named("note", &j.Checkpoint.Note), state.Named("run", &identity))
	}
	j.code(e)
	count := len(j.states)
	e.Do(state.Named("under way", &count))
	var last *restartState
	for _, u := range j.states {
		if current != nil && u.taken {
			last = u
			continue
		}
		streamed, own := false, u.state
		if u.paused {
			own = nil
		}
		e.Do(state.Named("restart", &u.restart), state.Named("streamed", &streamed), state.Named("state", &own))
	}
	if last != nil {
		streamed := true
		e.Do(state.Named("restart", &last.restart), state.Named("streamed", &streamed))
		current(e)
	}
	if e.First() {
		e.Seal()
	}
}

// load reads the state that the job resumes. The state of a streamed restart stays in the
// reader.
func (j *Job) load() error {
	c := j.Checkpoint
	if c == nil {
		return nil
	}
	j.due = j.started.Add(c.After)
	if c.Resume == nil {
		return nil
	}
	d := codec.Open(c.Resume, stateMagic, "run", j.identity())
	if d.Err() != nil {
		return d.Err()
	}
	j.code(d)
	count := 0
	d.Do(state.Named("under way", &count))
	seen := map[int]bool{}
	for i := 0; i < count && d.Err() == nil; i++ {
		u, streamed := &restartState{}, false
		d.Do(state.Named("restart", &u.restart), state.Named("streamed", &streamed))
		if d.Err() == nil && (u.restart < 1 || u.restart > j.next || seen[u.restart]) {
			d.Damaged("restart %d of %d is under way", u.restart, j.next)
		}
		seen[u.restart] = true
		u.left = slices.ContainsFunc(j.ran, func(x Ran) bool { return x.Restart == u.restart && x.Stop == outcome.StopLeft })
		if streamed && (i < count-1 || u.left) {
			d.Damaged("a streamed state is not the last one")
		}
		if streamed {
			u.stream = d
		} else {
			d.Do(state.Named("state", &u.state))
		}
		j.states = append(j.states, u)
	}
	for _, r := range j.ran {
		if d.Err() == nil && seen[r.Restart] != (r.Stop == outcome.StopLeft) {
			d.Damaged("restart %d ended by %s", r.Restart, r.Stop)
		}
	}
	if d.Err() == nil && count < 1 {
		d.Damaged("%d restarts are under way", count)
	}
	if d.Err() == nil && j.states[count-1].stream == nil {
		d.Sealed()
	}
	j.resumed, j.known = true, j.finished
	return d.Err()
}

// savesLast reports whether a last state is saved if the run ends early.
func (j *Job) savesLast() bool {
	if j.distributed() {
		return j.finishes
	}
	return j.Checkpoint != nil && j.Checkpoint.Save != nil
}

// saveUnfinished saves the state of a run that ends early after its last restart, as one
// that has this restart before it. res is the best result.
func (j *Job) saveUnfinished(res *Result) {
	if j.early != nil || !j.savesLast() {
		return
	}
	j.early = res
	j.ran = slices.DeleteFunc(j.ran, func(r Ran) bool { return r.Restart == res.BestRestart })
	j.states = append(j.states, &restartState{restart: res.BestRestart})
	j.finished--
	j.saveLast()
	j.finished++
}

// whole reports whether the run ends after whole iterations only: their states are saved, and
// only they save the blocks of a recursion. A pass over files is cut short all the same.
func (j *Job) whole() bool { return j.savesLast() && !j.Form.Files }

// saveLast saves the state of a run that has ended early, unless BeforeEnd has: restarts that
// ran side by side as they were after their last iterations, and one that was cut within an
// iteration from its beginning, if there is no state yet that has more of it. All processes
// call it together.
func (j *Job) saveLast() {
	if !j.savesLast() || j.early == nil || j.abandoned.Load() || j.failed != nil || len(j.states) == 0 {
		return
	}
	news := !j.last && (!j.alone || j.finished > j.known || j.written == 0 && !j.resumed)
	j.Comm.Broadcast(group.Bytes(&news))
	switch {
	case !news:
	case j.Comm.Rank() > 0:
		e := codec.NewPartEncoder(j.Comm)
		j.stream(e, nil)
		e.Serve()
	default:
		j.last = true
		j.save(nil)
		codec.Finish(j.Comm)
	}
}

// Note reads a state to its end and returns its note, as codec.Note does.
func Note(r io.Reader) (note []byte, err error) { return codec.Note(r, stateMagic) }

// EachField calls do for the fields of the struct x and of the structs that it embeds, in their order. Functions
// are left out, since they cannot be compared.
func EachField(x reflect.Value, do func(name string, value reflect.Value)) {
	for i := range x.NumField() {
		switch f, value := x.Type().Field(i), x.Field(i); {
		case value.Kind() == reflect.Func:
		case f.Anonymous:
			EachField(value, do)
		default:
			do(f.Name, value)
		}
	}
}
