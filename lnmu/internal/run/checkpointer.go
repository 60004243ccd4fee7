package run

import (
	"bytes"
	"math"
	"time"

	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// checkpointer saves and resumes the restarts that run one after the other in one place.
type checkpointer struct {
	*Job
	now   *restartState  // the present restart
	again bool           // an earlier restart has changed the memory of the place
	size  int            // bytes of the last state at the end of a lap
	known *Result        // blocks of a recursion that were finished before, or nil
	from  *codec.Decoder // the state from which its iterations resume; nil once they have

	// factors returns V, W and the blocks that the present restart has finished.
	factors func() *Result
}

// begin prepares for a restart, from its saved state if there is one.
func (t *checkpointer) begin(u *restartState) (ok bool) {
	t.again = t.now != nil
	t.now, t.known, t.from = u, t.Known, u.stream
	if len(u.state) > 0 {
		t.from = codec.NewPlainDecoder(u.state, u.paused)
	}
	u.stream = nil
	if t.from == nil {
		return true
	}
	t.known = &Result{}
	t.codeFactors(t.from, t.known)
	if t.from.Err() == nil && !t.unfinished(t.known) {
		t.from.Damaged("its blocks are not those of its factors")
	}
	return t.check(t.from)
}

// unfinished reports whether the blocks belong to the factors and are the first ones of an
// unfinished recursion.
func (j *Job) unfinished(r *Result) bool {
	for i, b := range r.Blocks {
		if b.Rank != (i+1)*j.Block {
			return false
		}
	}
	return r.Rank() == len(r.Blocks)*j.Block && r.Rank() < j.Rank
}

// check ends the job if a state cannot be resumed.
func (t *checkpointer) check(d *codec.Decoder) (ok bool) {
	err := group.Agree(t.Comm, d.Err())
	if err == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = err
	t.abandoned.Store(true)
	return false
}

// finishedBlock returns block i of a recursion, counted from 0, with its trace, if it was
// finished before.
func (t *checkpointer) finishedBlock(i int) (b outcome.Block, tr method.Trace, ok bool) {
	if t.known == nil || i >= len(t.known.Blocks) {
		return b, tr, false
	}
	b = t.known.Blocks[i]
	return outcome.Block{Exact: b.Exact}, method.Trace{Iterations: b.IterationsDone, History: b.History, Stop: b.Stop, Lowered: b.Lowered}, true
}

// confirmed reports whether a block that was finished before still has its error. If not, M is
// another matrix, and the job ends. The errors have a tolerance if they may have been measured in
// another way (Form.Sparse).
func (t *checkpointer) confirmed(i int, relative float64) bool {
	if t.known == nil || i >= len(t.known.Blocks) {
		return true
	}
	had, within := t.known.Blocks[i].Error, 0.0
	if t.Form.Sparse {
		within = math.Sqrt(t.Precision)
	}
	if math.Abs(float64(relative*relative)-float64(had*had)) <= within {
		return true
	}
	d := codec.NewPlainDecoder(nil, false)
	d.Damaged("the factors up to %d leave an error of %v, and left %v: the matrix is another one, or they are", t.known.Blocks[i].Rank, relative, had)
	return t.check(d)
}

// Resume restores the saved fields of the iterations, and returns their number.
func (t *checkpointer) Resume(tr *method.Trace, fields func() []state.Field) (k int, ok bool) {
	d := t.from
	if d == nil {
		return 0, true
	}
	t.from = nil
	d.Do(fieldsOf(tr, &k)...)
	d.Do(fields()...)
	d.Sealed()
	if d.Err() == nil && (k < 1 || k > t.Iterations) {
		d.Damaged("%d iterations of %d", k, t.Iterations)
	}
	tr.Iterations = k
	return k, t.check(d)
}

// fieldsOf returns the fields of a trace after iteration k.
func fieldsOf(tr *method.Trace, k *int) []state.Field {
	return []state.Field{state.Named("iteration", k), state.Named("history", &tr.History), state.Named("last error", &tr.Last), state.Named("late error", &tr.Late)}
}

// AfterIteration saves the state after iteration k if one is due. Restarts that run side by
// side each contribute their own, and the last of them saves all.
func (t *checkpointer) AfterIteration(k int, tr *method.Trace, fields func() []state.Field) {
	if t.distributed() {
		if t.Control.Last()&group.Save == 0 {
			return
		}
		t.Control.Done(group.Save)
	}
	switch c := t.Checkpoint; {
	case t.Comm.Rank() > 0:
		t.handIn(k, tr, fields)
	case c != nil && c.Save != nil:
		t.contribute(k, tr, fields)
	}
}

// BeforeEnd saves the state after iteration k, the last one of a run that ends early. States of
// restarts that run side by side are saved together later, see saveLast.
func (t *checkpointer) BeforeEnd(k int, tr *method.Trace, fields func() []state.Field) {
	switch {
	case !t.savesLast() || t.abandoned.Load():
	case t.Comm.Rank() > 0:
		t.handIn(k, tr, fields)
	default:
		t.mu.Lock()
		defer t.mu.Unlock()
		current := t.current(&k, tr, fields)
		if !t.alone {
			t.now.keep(false, current, 0)
			return
		}
		defer codec.Finish(t.Comm)
		t.last = true
		t.save(current)
	}
}

// Leave keeps the state after iteration k in memory, from which the restart goes on in another lap.
func (t *checkpointer) Leave(k int, tr *method.Trace, fields func() []state.Field) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.keep(true, t.current(&k, tr, fields), t.size)
	t.size = len(t.now.state)
}

// keep keeps the state that current writes, of about so many bytes, at the end of a lap or within one. The mutex of the job
// must be held: others save the state.
func (u *restartState) keep(paused bool, current func(e *codec.Encoder), size int) {
	b := bytes.NewBuffer(make([]byte, 0, size))
	e := codec.NewPlainEncoder(b, paused)
	if current(e); e.Err() == nil {
		u.state, u.paused = b.Bytes(), paused
		if b.Cap() > b.Len() {
			u.state = bytes.Clone(u.state) // without the room for more
		}
	}
}

// contribute is AfterIteration for a job with checkpoints. It is a function of its own, since
// its arguments are allocated.
func (t *checkpointer) contribute(k int, tr *method.Trace, fields func() []state.Field) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer codec.Finish(t.Comm)
	if t.written == t.epoch && (t.distributed() || !time.Now().Before(t.due)) {
		t.epoch++
	}
	current := t.current(&k, tr, fields)
	if t.now.epoch != t.epoch {
		t.now.epoch = t.epoch
		if !t.alone {
			t.now.keep(false, current, 0)
		}
	}
	if t.written == t.epoch {
		return
	}
	for _, u := range t.states {
		if u.taken && u.epoch != t.epoch {
			return
		}
	}
	if !t.alone {
		current = nil
	}
	t.save(current)
}

// current returns a function that writes the state of the present restart.
func (t *checkpointer) current(k *int, tr *method.Trace, fields func() []state.Field) func(e *codec.Encoder) {
	return func(e *codec.Encoder) {
		t.codeFactors(e, t.factors())
		e.Do(fieldsOf(tr, k)...)
		e.Do(fields()...)
	}
}

// handIn sends the parts of this process to process 0, which writes the state.
func (t *checkpointer) handIn(k int, tr *method.Trace, fields func() []state.Field) {
	e := codec.NewPartEncoder(t.Comm)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream(e, t.current(&k, tr, fields))
	e.Serve()
}
