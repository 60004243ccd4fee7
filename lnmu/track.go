package lnmu

import (
	"bytes"
	"math"
	"time"
)

// track is where restarts run one after the other, as far as checkpoints need it: how
// far the present one has come, and from where it goes on.
type track[T Float] struct {
	*job[T]
	now   *underway  // the present restart
	again bool       // there was another one before, which has left its traces in memory
	known *Result[T] // blocks of a recursion that are finished from the beginning, or nil
	from  *decoder   // the state that its iterations go on from, until they do

	// finished returns what the recursion has finished: V, W and the blocks.
	finished func() *Result[T]
}

// begin prepares for a restart, as it was saved if it was.
func (t *track[T]) begin(u *underway) (ok bool) {
	t.again = t.now != nil
	t.now, t.known, t.from = u, t.given.known, u.stream
	t.finished = func() *Result[T] { return &Result[T]{} }
	if len(u.state) > 0 {
		t.from = &decoder{r: bytes.NewReader(u.state)}
	}
	u.stream = nil
	if t.from == nil {
		return true
	}
	t.known = &Result[T]{}
	t.codeFactors(t.from, t.known)
	if t.from.failed == nil && !t.unfinished(t.known) {
		t.from.damaged("its blocks are not those of its factors")
	}
	return t.check(t.from)
}

// unfinished reports whether the blocks are those of the factors, and the first ones of a
// recursion that is not at its end.
func (j *job[T]) unfinished(r *Result[T]) bool {
	for i, b := range r.Blocks {
		if b.Rank != (i+1)*j.block {
			return false
		}
	}
	return r.V.Cols == len(r.Blocks)*j.block && r.V.Cols < j.rank
}

// check ends the job if a state cannot be resumed.
func (t *track[T]) check(d *decoder) (ok bool) {
	err := t.source.agree(d.failed)
	if err == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = err
	t.abandoned.Store(true)
	return false
}

// finishedBlock returns block i of a recursion, from 0, with its trace, if it is
// finished from the beginning.
func (t *track[T]) finishedBlock(i int) (b Block, tr trace, ok bool) {
	if t.known == nil || i >= len(t.known.Blocks) {
		return b, tr, false
	}
	b = t.known.Blocks[i]
	return Block{Exact: b.Exact}, trace{iterations: b.Iterations, history: b.History, stop: b.Stop, lowered: b.Lowered}, true
}

// confirmed reports whether a block that was finished from the beginning has the error
// that it had; else M is another matrix, and the job ends. That of the last block of a
// result for a sparse matrix was measured in another way.
func (t *track[T]) confirmed(i int, relative float64) bool {
	if t.known == nil || i >= len(t.known.Blocks) {
		return true
	}
	had, within := t.known.Blocks[i].Error, 0.0
	if sparse := t.source.stored.Data == nil && t.source.reader == nil; sparse && i == len(t.known.Blocks)-1 {
		within = math.Sqrt(epsilon[T]())
	}
	if math.Abs(float64(relative*relative)-float64(had*had)) <= within {
		return true
	}
	d := &decoder{}
	d.damaged("the factors up to %d leave an error of %v, and left %v: the matrix is another one, or they are", t.known.Blocks[i].Rank, relative, had)
	return t.check(d)
}

// resume sets what the iterations change to what was saved, and returns the number of
// those that were made.
func (t *track[T]) resume(tr *trace, state func() []piece) (k int, ok bool) {
	d := t.from
	if d == nil {
		return 0, true
	}
	t.from = nil
	d.do(tr.parts(&k)...)
	d.do(state()...)
	if d.sum != nil {
		d.sealed()
	}
	if d.failed == nil && (k < 1 || k > t.Iterations) {
		d.damaged("%d iterations of %d", k, t.Iterations)
	}
	tr.iterations = k
	return k, t.check(d)
}

// parts of a trace after iteration k.
func (tr *trace) parts(k *int) []piece {
	return []piece{{"iteration", k}, {"history", &tr.history}, {"last error", &tr.last}}
}

// checkpoint takes the state after iteration k if it is time for one. If restarts run
// side by side, each contributes its own when it comes by, and the last one hands all
// of them out.
func (t *track[T]) checkpoint(k int, tr *trace, state func() []piece) {
	if t.with != nil {
		if !t.with.due {
			return
		}
		t.with.done(&t.with.due)
	}
	switch c := t.Checkpoint; {
	case t.with != nil && t.with.Rank() > 0:
		t.handIn(k, tr, state)
	case c != nil && c.Save != nil:
		t.contribute(k, tr, state)
	}
}

// contribute is checkpoint where there are any: apart from it, as its arguments are
// allocated.
func (t *track[T]) contribute(k int, tr *trace, state func() []piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.with.ask(askNoMore)
	if t.written == t.epoch && (t.with != nil || !time.Now().Before(t.due)) {
		t.epoch++
	}
	current := t.current(&k, tr, state)
	if t.now.epoch != t.epoch {
		t.now.epoch = t.epoch
		if !t.alone {
			var b bytes.Buffer
			if e := (&encoder{w: &b}); e.put(current) {
				t.now.state = b.Bytes()
			}
		}
	}
	if t.written == t.epoch {
		return
	}
	for _, u := range t.underway {
		if u.taken && u.epoch != t.epoch {
			return
		}
	}
	if !t.alone {
		current = nil
	}
	t.save(current)
}

// current writes the state of the present restart.
func (t *track[T]) current(k *int, tr *trace, state func() []piece) func(e *encoder) {
	return func(e *encoder) {
		t.codeFactors(e, t.finished())
		e.do(tr.parts(k)...)
		e.do(state()...)
	}
}

// put writes a state and reports whether it could.
func (e *encoder) put(state func(e *encoder)) bool {
	state(e)
	return e.failed == nil
}

// take returns the restart that is next: one that was saved, or a new one; nil if none
// is left.
func (j *job[T]) take() *underway {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.early != nil || j.abandoned.Load() {
		return nil
	}
	for _, u := range j.underway {
		if !u.taken {
			u.taken, u.epoch = true, j.epoch
			return u
		}
	}
	if j.next >= j.Restarts {
		return nil
	}
	j.next++
	j.begun++
	u := &underway{restart: j.next, taken: true, epoch: j.epoch}
	j.underway = append(j.underway, u)
	return u
}
