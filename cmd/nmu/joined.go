package main

import (
	"nmu/internal/matio"
	"nmu/lnmu"
)

// joinedRun is the result of a run, of which V or W may be the part of a process: lent,
// which process 0 gets from all of them as often as it needs it, and never as a whole
// unless it asks for that.
type joinedRun[T lnmu.Float] struct {
	*lnmu.Result[T]
	v, w *lnmu.Joined[T]
	lent *lnmu.Joined[T] // v or w, or nil
	all  *processes
}

// finish joins what all processes have found by a plan.
func finish[T lnmu.Float](all *processes, res *lnmu.Result[T], p plan) (r joinedRun[T], err error) {
	r = joinedRun[T]{Result: res, all: all}
	ofV, ofW, part := p.settings.Processes, p.settings.Processes, p.settings.Part
	if part.Columns {
		ofV = nil
	} else {
		ofW = nil
	}
	part.Columns = false
	if r.v, err = lnmu.Join(res.V, ofV, part); err != nil {
		return r, err
	}
	part.Columns = true
	if r.w, err = lnmu.Join(res.W, ofW, part); err != nil {
		return r, err
	}
	switch {
	case ofV != nil:
		r.lent = r.v
	case ofW != nil:
		r.lent = r.w
	}
	return r, nil
}

// measure adds to the report what is said of the factors, of which there is one at least.
func (r joinedRun[T]) measure(rep *report) {
	v, w := r.v.Sparsity(), r.w.Sparsity()
	rep.SparsityV, rep.HoyerV = v.Zeros, v.Hoyer
	rep.SparsityW, rep.HoyerW = w.Zeros, w.Hoyer
	rep.SHA256V, rep.SHA256W = r.v.SHA256(), r.w.SHA256()
}

// eachV calls do, in process 0, for all numbers of V, row by row, some at a time.
func (r joinedRun[T]) eachV(do func(numbers []T) error) error { return r.each(r.v, do) }

// eachW is eachV for W.
func (r joinedRun[T]) eachW(do func(numbers []T) error) error { return r.each(r.w, do) }

// cols returns the number of columns of all of W.
func (r joinedRun[T]) cols() int {
	_, cols := r.w.Dims()
	return cols
}

// each calls do, in process 0, for all numbers of v or w, row by row, some at a time.
func (r joinedRun[T]) each(x *lnmu.Joined[T], do func(numbers []T) error) error {
	if x == r.lent {
		r.all.say(true)
	}
	return x.Each(do)
}

// lend gives process 0 what it asks for, until it has all that it needs.
func (r joinedRun[T]) lend() error {
	for r.all.told() {
		if err := r.lent.Each(nil); err != nil {
			return err
		}
	}
	return nil
}

// release lets the other processes go.
func (r joinedRun[T]) release() {
	if r.lent != nil {
		r.all.say(false)
	}
}

// gather makes V and W whole, in process 0.
func (r *joinedRun[T]) gather() error {
	if r.lent == nil {
		return nil
	}
	rows, cols := r.lent.Dims()
	whole, at := lnmu.NewDense[T](rows, cols, nil), 0
	err := r.each(r.lent, func(x []T) error {
		at += copy(whole.Data[at:], x)
		return nil
	})
	if err != nil {
		return err
	}
	side, joined := &r.V, &r.v
	if r.lent == r.w {
		side, joined = &r.W, &r.w
	}
	*side = whole
	*joined, err = lnmu.Join(whole, nil, lnmu.Part{Columns: r.lent == r.w})
	return err
}

// npyV returns what writes V to a .npy file if V is lent, or nil.
func (r joinedRun[T]) npyV() func(path string) error { return r.npy(r.v) }

// npyW is npyV for W.
func (r joinedRun[T]) npyW() func(path string) error { return r.npy(r.w) }

// npy returns what writes v or w to a file if it is lent, or nil.
func (r joinedRun[T]) npy(x *lnmu.Joined[T]) func(path string) error {
	if x != r.lent {
		return nil
	}
	rows, cols := x.Dims()
	return func(path string) error {
		return matio.StreamNpy(path, rows, cols, func(do func(numbers []T) error) error { return r.each(x, do) })
	}
}
