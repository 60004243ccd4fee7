package lnmu

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"nmu/lnmu/internal/state"
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

// stateMagic begins a state. Its number changes with what a state holds, and with
// what is computed from it.
const stateMagic = "nmu state 1\n"

// waitPerSave is how many times as long as saving took the next one waits at least.
const waitPerSave = 19

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

	saves     bool      // process 0 has checkpoints
	givenSums [2]string // the hashes of a given start, of several processes
}

// identity is what must be the same of the run that saved a state, one in a line.
func (j *job[T]) identity() string {
	id := j.run()
	if j.given.start {
		v, w := j.startSums()
		id += fmt.Sprintf("given V %s\ngiven W %s\nsupports kept %v\n", v, w, j.supports)
	}
	return id
}

// run is the identity but for a given start.
func (j *job[T]) run() string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s %v\n", name, value) }
	rows, cols := j.source.whole()
	line("rows", rows)
	line("columns", cols)
	line("stored entries", j.entries)
	line("norm of M", j.norm2)
	line("largest entry of M", j.most)
	line("precision", fmt.Sprintf("%T", T(0)))
	line("rank", j.rank)
	line("method", j.method.Describe().Name)
	_, options := j.method.Describe().Options()
	for _, o := range options {
		line("option "+o.Name, o.Value)
	}
	line("iterations", j.Iterations)
	line("start", j.Init)
	line("seed", j.Seed)
	line("restarts", j.Restarts)
	line("tolerance", j.Tolerance)
	line("check interval", j.CheckEvery)
	line("target error", j.TargetError)
	if s := j.Settings; s.incomplete() {
		line("solver for missing entries", s.MissingSolver)
		line("what is not stored is missing", s.SparseMissing)
		if s.Observed != nil {
			line("observed", s.Observed.sum())
		}
		if s.Weights != nil {
			line("weights", matrixSum(s.Weights))
		}
	}
	if f := j.Settings.Fixed; f.any() {
		line("fixed V", SHA256(f.V))
		line("fixed W", SHA256(f.W))
		line("baseline", f.Baseline)
	}
	return b.String()
}

// differs says in what two identities do.
func differs(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("it is of a run with %q, and this one has %q", g[i], w[i])
		}
	}
	return "it is of a run with other options"
}

// code goes over what a state begins with, of the job, in both directions.
func (j *job[T]) code(c state.Coder) {
	elapsed := time.Since(j.started).Seconds()
	has := j.best != nil
	c.Do(state.Named("elapsed", &elapsed), state.Named("restarts taken", &j.next), state.Named("restarts finished", &j.finished), state.Named("has best", &has))
	if c.Err() == nil && has {
		if j.best == nil {
			j.best = &Result[T]{}
		}
		j.codeResult(c, j.best)
	}
	if d, ok := c.(*state.Decoder); ok && d.Err() == nil {
		if !(elapsed >= 0 && elapsed < float64(math.MaxInt64/time.Second)) || j.next < 1 || j.next > j.Restarts || j.finished < 0 || j.finished > j.next {
			d.Damaged("%v seconds, and %d restarts of %d, of which %d are finished", elapsed, j.next, j.Restarts, j.finished)
			return
		}
		j.begun = j.next
		j.started = j.started.Add(-time.Duration(elapsed * float64(time.Second)))
	}
}

// codeResult goes over a result, whose rank is at most that of the job.
func (j *job[T]) codeResult(c state.Coder, r *Result[T]) {
	j.codeFactors(c, r)
	c.Do(
		state.Named("error", &r.RelativeError), state.Named("l1", &r.RelativeL1),
		state.Named("violation", &r.MaxViolation), state.Named("bound", &r.ViolationBound), state.Named("relative violation", &r.RelativeViolation),
		state.Named("revived", &r.Revived), state.Named("stop", (*string)(&r.Stop)),
		state.Named("seed", &r.Seed), state.Named("restart", &r.BestRestart), state.Named("level", &r.Level),
	)
	if d, ok := c.(*state.Decoder); ok {
		rank := 0
		for _, b := range r.Blocks {
			if b.Rank <= rank || b.Rank > r.V.Cols {
				d.Damaged("its best result has a block that ends at factor %d, after %d of %d", b.Rank, rank, r.V.Cols)
			}
			rank = b.Rank
		}
		if least := min(r.RelativeError, r.RelativeL1, r.MaxViolation, r.RelativeViolation); least < 0 || r.BestRestart < 1 || r.BestRestart > j.Restarts {
			d.Damaged("its best result is restart %d of %d, and the least of its errors %v", r.BestRestart, j.Restarts, least)
		}
	}
}

// codeFactors goes over the factors and the blocks.
func (j *job[T]) codeFactors(c state.Coder, r *Result[T]) {
	rank := r.V.Cols
	c.Do(state.Named("factors", &rank))
	if d, ok := c.(*state.Decoder); ok {
		if rank < 0 || rank > j.rank {
			d.Damaged("%d factors of %d", rank, j.rank)
		}
		if d.Err() != nil {
			return
		}
		r.V, r.W = NewDense[T](j.source.rows, rank, nil), NewDense[T](rank, j.source.cols, nil)
	}
	c.Do(state.Factor("V", j.source.factorV(r.V)), state.Factor("W", j.source.factorW(r.W)))
	state.List(c, "blocks", &r.Blocks, (*Block).fields, func(b *Block) { state.List(c, "exact steps", &b.Exact, (*ExactStep).fields, nil) })
}

// fields of a block, but for the exact steps.
func (b *Block) fields() []state.Field {
	return []state.Field{state.Named("rank", &b.Rank), state.Named("iterations", &b.Iterations), state.Named("error", &b.Error), state.Named("l1", &b.L1), state.Named("history", &b.History), state.Named("stop", (*string)(&b.Stop)), state.Named("lowered", &b.Lowered)}
}

func (s *ExactStep) fields() []state.Field {
	return []state.Field{state.Named("factors", &s.Factors), state.Named("renewed", &s.Renewed), state.Named("kept", &s.Kept), state.Named("before", &s.Before), state.Named("after", &s.After), state.Named("violation", &s.Violation), state.Named("kkt", &s.KKT)}
}

// save hands a state out. current writes the state of the only restart, or is nil.
// The mutex must be held.
func (j *job[T]) save(current func(e *state.Encoder)) {
	c, begun := j.Checkpoint, time.Now()
	c.Save(state.Writer(func(w io.Writer) error {
		e := state.NewEncoder(w, j.comm, func() bool { _, over := j.cut(); return over })
		j.stream(e, current)
		return e.Err()
	}))
	j.written = j.epoch
	now := time.Now()
	j.due = now
	if c.Every > 0 {
		j.due = now.Add(max(c.Every, waitPerSave*now.Sub(begun)))
	}
}

// stream writes a state.
func (j *job[T]) stream(e *state.Encoder, current func(e *state.Encoder)) {
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
		streamed := false
		e.Do(state.Named("restart", &u.restart), state.Named("streamed", &streamed), state.Named("state", &u.state))
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

// load reads the state that the job is to go on from, but for the one of a restart
// that is streamed.
func (j *job[T]) load() error {
	c := j.Checkpoint
	if c == nil {
		return nil
	}
	j.due = j.started.Add(c.After)
	if c.Resume == nil {
		return nil
	}
	d := state.NewDecoder(c.Resume)
	d.Magic(stateMagic)
	var note []byte
	var identity string
	d.Do(state.Named("note", &note), state.Named("run", &identity))
	if want := j.identity(); d.Err() == nil && identity != want {
		return fmt.Errorf("%w: %s", ErrCheckpoint, differs(identity, want))
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
		if streamed && i < count-1 {
			d.Damaged("a streamed state is not the last one")
		}
		if streamed {
			u.stream = d
		} else {
			d.Do(state.Named("state", &u.state))
		}
		j.states = append(j.states, u)
	}
	if d.Err() == nil && count < 1 {
		d.Damaged("%d restarts are under way", count)
	}
	if d.Err() == nil && j.states[count-1].stream == nil {
		d.Sealed()
	}
	return d.Err()
}

// CheckpointNote reads a state to its end and returns its Note. The error says whether
// the state is incomplete or damaged; in which case it wraps ErrCheckpoint.
func CheckpointNote(r io.Reader) (note []byte, err error) {
	d := state.NewDecoder(r)
	d.Magic(stateMagic)
	d.Do(state.Named("note", &note))
	if d.Rest(); d.Err() != nil {
		return nil, d.Err()
	}
	return note, nil
}
