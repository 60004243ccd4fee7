package lnmu

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
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

// underway is a restart that was begun and has not ended.
type underway struct {
	restart int
	taken   bool     // by a runner
	state   []byte   // its last state, if restarts run side by side or it is not taken yet; empty: its beginning
	stream  *decoder // its state in the file, which is the last there
	epoch   int      // the state that it has contributed to
}

// saving is what a job knows of its checkpoints, guarded by its mutex.
type saving struct {
	underway []*underway
	alone    bool // one restart runs at a time: its state need not be copied
	epoch    int  // number of the state that is being collected,
	written  int  // and of the last one that was handed out
	due      time.Time
	failed   error // of a state that could not be resumed
}

// stateOf is a state as an io.WriterTo.
type stateOf func(e *encoder)

// WriteTo writes the state.
func (s stateOf) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	buffered := bufio.NewWriterSize(count, 1<<16)
	e := newEncoder(buffered, nil)
	s(e)
	if e.failed == nil {
		e.failed = buffered.Flush()
	}
	return count.n, e.failed
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
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
func (j *job[T]) code(c coder) {
	elapsed := time.Since(j.started).Seconds()
	has := j.best != nil
	c.do(piece{"elapsed", &elapsed}, piece{"restarts taken", &j.next}, piece{"restarts finished", &j.finished}, piece{"has best", &has})
	if c.err() == nil && has {
		if j.best == nil {
			j.best = &Result[T]{}
		}
		j.codeResult(c, j.best)
	}
	if d, ok := c.(*decoder); ok && d.failed == nil {
		if !(elapsed >= 0 && elapsed < float64(math.MaxInt64/time.Second)) || j.next < 1 || j.next > j.Restarts || j.finished < 0 || j.finished > j.next {
			d.damaged("%v seconds, and %d restarts of %d, of which %d are finished", elapsed, j.next, j.Restarts, j.finished)
			return
		}
		j.begun = j.next
		j.started = j.started.Add(-time.Duration(elapsed * float64(time.Second)))
	}
}

// codeResult goes over a result, whose rank is at most that of the job. It is no method
// of the result for the reason that is told of algorithms.
func (j *job[T]) codeResult(c coder, r *Result[T]) {
	j.codeFactors(c, r)
	c.do(
		piece{"error", &r.RelativeError}, piece{"l1", &r.RelativeL1},
		piece{"violation", &r.MaxViolation}, piece{"bound", &r.ViolationBound}, piece{"relative violation", &r.RelativeViolation},
		piece{"revived", &r.Revived}, piece{"stop", &r.Stop},
		piece{"seed", &r.Seed}, piece{"restart", &r.BestRestart}, piece{"level", &r.Level},
	)
	if d, ok := c.(*decoder); ok {
		rank := 0
		for _, b := range r.Blocks {
			if b.Rank <= rank || b.Rank > r.V.Cols {
				d.damaged("its best result has a block that ends at factor %d, after %d of %d", b.Rank, rank, r.V.Cols)
			}
			rank = b.Rank
		}
		if least := min(r.RelativeError, r.RelativeL1, r.MaxViolation, r.RelativeViolation); least < 0 || r.BestRestart < 1 || r.BestRestart > j.Restarts {
			d.damaged("its best result is restart %d of %d, and the least of its errors %v", r.BestRestart, j.Restarts, least)
		}
	}
}

// codeFactors goes over the factors and the blocks.
func (j *job[T]) codeFactors(c coder, r *Result[T]) {
	rank := r.V.Cols
	c.do(piece{"factors", &rank})
	if d, ok := c.(*decoder); ok {
		if rank < 0 || rank > j.rank {
			d.damaged("%d factors of %d", rank, j.rank)
		}
		if d.failed != nil {
			return
		}
		r.V, r.W = NewDense[T](j.source.rows, rank, nil), NewDense[T](rank, j.source.cols, nil)
	}
	c.do(piece{"V", nonnegative[T]{j.source.rowsOf(r.V)}}, piece{"W", nonnegative[T]{j.source.columnsOf(r.W)}})
	each(c, "blocks", &r.Blocks, (*Block).parts, func(b *Block) { each(c, "exact steps", &b.Exact, (*ExactStep).parts, nil) })
}

// parts of a block, but for the exact steps.
func (b *Block) parts() []piece {
	return []piece{{"rank", &b.Rank}, {"iterations", &b.Iterations}, {"error", &b.Error}, {"l1", &b.L1}, {"history", &b.History}, {"stop", &b.Stop}, {"lowered", &b.Lowered}}
}

func (s *ExactStep) parts() []piece {
	return []piece{{"factors", &s.Factors}, {"renewed", &s.Renewed}, {"kept", &s.Kept}, {"before", &s.Before}, {"after", &s.After}, {"violation", &s.Violation}, {"kkt", &s.KKT}}
}

// save hands a state out. current writes the state of the only restart, or is nil.
// The mutex must be held.
func (j *job[T]) save(current func(e *encoder)) {
	c, begun := j.Checkpoint, time.Now()
	c.Save(stateOf(func(e *encoder) {
		e.over = func() bool { _, over := j.cut(); return over }
		j.stream(e, current)
	}))
	j.written = j.epoch
	now := time.Now()
	j.due = now
	if c.Every > 0 {
		j.due = now.Add(max(c.Every, waitPerSave*now.Sub(begun)))
	}
}

// stream writes a state.
func (j *job[T]) stream(e *encoder, current func(e *encoder)) {
	e.with = j.with
	e.write([]byte(stateMagic))
	if e.with.isFirst() {
		identity := j.identity()
		e.do(piece{"note", &j.Checkpoint.Note}, piece{"run", &identity})
	}
	j.code(e)
	count := len(j.underway)
	e.do(piece{"under way", &count})
	var last *underway
	for _, u := range j.underway {
		if current != nil && u.taken {
			last = u
			continue
		}
		streamed := false
		e.do(piece{"restart", &u.restart}, piece{"streamed", &streamed}, piece{"state", &u.state})
	}
	if last != nil {
		streamed := true
		e.do(piece{"restart", &last.restart}, piece{"streamed", &streamed})
		current(e)
	}
	if e.with.isFirst() {
		e.seal()
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
	d := newDecoder(bufio.NewReaderSize(c.Resume, 1<<16))
	d.magic()
	var note []byte
	var identity string
	d.do(piece{"note", &note}, piece{"run", &identity})
	if want := j.identity(); d.failed == nil && identity != want {
		return fmt.Errorf("%w: %s", ErrCheckpoint, differs(identity, want))
	}
	j.code(d)
	count := 0
	d.do(piece{"under way", &count})
	seen := map[int]bool{}
	for i := 0; i < count && d.failed == nil; i++ {
		u, streamed := &underway{}, false
		d.do(piece{"restart", &u.restart}, piece{"streamed", &streamed})
		if d.failed == nil && (u.restart < 1 || u.restart > j.next || seen[u.restart]) {
			d.damaged("restart %d of %d is under way", u.restart, j.next)
		}
		seen[u.restart] = true
		if streamed && i < count-1 {
			d.damaged("a streamed state is not the last one")
		}
		if streamed {
			u.stream = d
		} else {
			d.do(piece{"state", &u.state})
		}
		j.underway = append(j.underway, u)
	}
	if d.failed == nil && count < 1 {
		d.damaged("%d restarts are under way", count)
	}
	if d.failed == nil && j.underway[count-1].stream == nil {
		d.sealed()
	}
	return d.failed
}

// magic reads what a state begins with.
func (d *decoder) magic() {
	head := make([]byte, len(stateMagic))
	if d.read(head) && string(head) != stateMagic {
		d.damaged("it begins with %q instead of %q: it is none, or that of another version of this program", head, stateMagic)
	}
}

// CheckpointNote reads a state to its end and returns its Note. The error says whether
// the state is incomplete or damaged; in which case it wraps ErrCheckpoint.
func CheckpointNote(r io.Reader) (note []byte, err error) {
	d := newDecoder(bufio.NewReaderSize(r, 1<<16))
	d.magic()
	d.do(piece{"note", &note})
	if d.failed != nil {
		return nil, d.failed
	}
	size := d.sum.Size()
	held := make([]byte, 0, 1<<16)
	for end := false; !end; {
		n := len(held)
		more, err := io.ReadFull(d.under, held[n:cap(held)])
		held = held[:n+more]
		if end = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !end {
			return nil, fmt.Errorf("reading a checkpoint: %w", err)
		}
		if rest := len(held) - size; rest > 0 {
			d.sum.Write(held[:rest])
			held = held[:copy(held, held[rest:])]
		}
	}
	if got := d.sum.Sum(nil); !bytes.Equal(got, held) {
		return nil, fmt.Errorf("%w: it is cut short or damaged, as its checksum says", ErrCheckpoint)
	}
	return note, nil
}
