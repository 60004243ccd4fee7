package work

import (
	"context"
	"fmt"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/process"
	"nmu/lnmu"
)

// Plan is a factorization that is asked of the library.
type Plan struct {
	Rank     int
	Method   lnmu.Method
	Settings lnmu.Settings

	data.Observed             // of this process; Gaps: the matrix may have missing entries of its own
	Weight        float64     // of all entries without Weights; 0: none
	StoredOnly    bool        // what a sparse matrix does not store is missing
	Scene         bool        // rows and columns without an observed entry are left out, by Settle
	Lines         *data.Lines // what is left then; the plan is for that

	World   lnmu.Processes // that hold a part of the matrix each, or nil
	Gathers bool           // process 0 needs the longer factor as a whole

	// observe reads the mask and the weights of this process for some lines of M; nil before Read.
	observe func(l *data.Lines) (data.Observed, error)

	rows, cols int      // of the matrix as a whole
	asked      *request // what was asked for, without defaults; nil before WithDefaults
}

// request is a method and settings without defaults.
type request struct {
	method   lnmu.Method
	settings lnmu.Settings
}

// missing returns how many entries of the whole matrix are missing, in process 0.
func (p Plan) missing(all *process.Group) int {
	n := 0
	if p.Mask != nil {
		n = p.Mask.Missing()
	}
	return all.Sum(n) + p.Lines.Missing()
}

// matrix returns what the library is given of m, which is that of this process.
func matrix[T lnmu.Float](p Plan, m lnmu.Matrix[T]) lnmu.Matrix[T] {
	if p.Mask != nil || p.Weights != nil || p.Weight > 0 || p.StoredOnly {
		m = lnmu.Observed[T]{Matrix: m, Mask: p.Mask, Weights: p.Weights, Weight: p.Weight, StoredOnly: p.StoredOnly}
	}
	if p.World != nil {
		m = lnmu.Part[T]{Matrix: m, Processes: p.World, Rows: p.rows, Cols: p.cols}
	}
	return m
}

// shape is matrix without any entries, for an m x n matrix.
func shape[T lnmu.Float](p Plan, m, n int) lnmu.Matrix[T] {
	p.rows, p.cols = m, n
	m, n = p.own()
	return matrix[T](p, lnmu.Unread[T]{Rows: m, Cols: n})
}

// own returns the size of the part of the matrix that this process has.
func (p Plan) own() (rows, cols int) {
	if p.World == nil {
		return p.rows, p.cols
	}
	b := blockOf(p.World, p.rows, p.cols)
	return b.Rows(), b.Cols()
}

// normalized returns the plan for an m x n matrix without defaults, and without a mask or weights
// that say nothing.
func (p Plan) normalized(m, n int) (Plan, error) {
	if p.asked == nil {
		p.asked = &request{p.Method, p.Settings}
	}
	now := p.Settings
	p.Method, p.Settings, p.rows, p.cols = p.asked.method, p.asked.settings, m, n
	p.Settings.Progress, p.Settings.Checkpoint = now.Progress, now.Checkpoint
	if p.Mask == nil && p.Weights == nil {
		return p, nil
	}
	m, n = p.own()
	seen, err := lnmu.Normalized(matrix[float64](p, lnmu.Unread[float64]{Rows: m, Cols: n}))
	p.Mask, p.Weights, p.Weight = seen.Mask, seen.Weights, seen.Weight
	return p, err
}

// WithDefaults returns the plan for an m x n matrix with all defaults filled in, by package lnmu. It
// starts from what was asked for, so that a plan whose mask or part of the matrix is known by now
// gets the defaults for these.
func (p Plan) WithDefaults(m, n int) (Plan, error) {
	p, err := p.normalized(m, n)
	if err != nil {
		return p, err
	}
	method, settings, err := lnmu.WithDefaults(shape[float64](p, m, n), p.Rank, p.Method, &p.Settings)
	p.Method, p.Settings = method, settings
	return p, err
}

// recorded returns the plan with as few errors on record as the page of a recursion
// needs, where nothing else depends on them: each takes a pass over M.
func (p Plan) recorded() Plan {
	const perBlock = 6
	if s := &p.Settings; s.Record && s.Tolerance == 0 && p.Method.Describe().Recursive {
		s.CheckEvery = max(s.CheckEvery, s.Iterations/perBlock)
	}
	return p
}

// Read returns the plan with what a request says of the matrix of an open file: the lines that are kept, and which
// of their entries count, for the part of this process.
func (j *Job) Read(file *matio.File, r *data.Request, p Plan) (Plan, error) {
	p.observe = func(l *data.Lines) (data.Observed, error) {
		var own *matio.Block
		if j.All != nil {
			rows, cols := l.Dims(file.Dims())
			b := blockOf(j.All, rows, cols)
			own = &b
		}
		given := r.Of(l, own)
		r.Own = given.Own
		return given.Read(file)
	}
	var err error
	if p.Lines, err = r.Unskipped(file); err == nil {
		p.Observed, err = p.observe(p.Lines)
	}
	return p, err
}

// Settle leaves out the lines that a plan for a rows x cols matrix need not have, fills in the defaults, and returns the
// plan and the start of this process. All processes call it.
func (s Start[T]) Settle(all *process.Group, p Plan, rows, cols int) (Plan, Start[T], error) {
	m, n := p.Lines.Dims(rows, cols)
	var err error
	if p.Scene {
		if p, m, n, err = p.withoutUnobserved(all, m, n); err != nil {
			return p, s, err
		}
	}
	if all != nil {
		p.World, p.rows, p.cols = all.World, m, n
		p.Gathers = p.Gathers || p.Lines != nil
		if s, err = s.part(all, rows, cols); err != nil {
			return p, s, err
		}
	}
	p, err = s.WithDefaults(p, m, n)
	return p.recorded(), s, err
}

// withoutUnobserved returns the plan for the rows and columns that have an observed entry, of
// the m x n scene that p is for, and their numbers. All processes call it, each with the mask and the
// weights of its block. If some lines are left out, the blocks are others.
func (p Plan) withoutUnobserved(all *process.Group, m, n int) (Plan, int, int, error) {
	if p.Mask == nil && p.Weights == nil {
		return p, m, n, nil
	}
	in, own := make([]bool, m+n), matio.Block{I1: m, J1: n}
	if all != nil {
		own = blockOf(all, m, n)
	}
	data.Observe(in[:m][own.I0:own.I1], in[m:][own.J0:own.J1], p.Mask, p.Weights)
	all.AnyOf(in)
	left := data.LinesWith(in[:m], in[m:])
	if left == nil {
		return p, m, n, nil
	}
	m, n = left.Dims(m, n)
	p.Lines = p.Lines.Then(left)
	if all == nil {
		p.Mask, p.Weights = left.Mask(p.Mask), left.Weights(p.Weights)
		return p, m, n, nil
	}
	o, err := p.observe(p.Lines)
	p.Mask, p.Weights, p.Zeros = o.Mask, o.Weights, o.Zeros
	return p, m, n, all.Agree(err, "")
}

// observing returns the plan for a matrix of which this process has the entries of a mask, or
// all if that is nil. The plan has the defaults of a matrix with missing entries. If lines are left out of a
// matrix that several processes share, their blocks are others: the plan still has gaps then, which are those of
// the new block.
func (s Start[T]) observing(p Plan, mask *lnmu.Mask, all *process.Group) (Plan, error) {
	p.Mask = nil
	if all.Any(mask != nil && mask.Missing() > 0) {
		if p.Mask = mask; mask == nil { // others miss entries
			p.Mask = lnmu.NewMask(p.own())
		}
	}
	p.Gaps = false // the mask says it
	rows, cols := p.rows, p.cols
	var err error
	if p.Scene {
		before := p.Lines
		if p, rows, cols, err = p.withoutUnobserved(all, rows, cols); err != nil {
			return p, err
		}
		p.Gaps = all != nil && p.Lines != before
		p.Gathers = p.Gathers || all != nil && p.Lines != nil
	}
	p, err = s.WithDefaults(p, rows, cols)
	return p.recorded(), err
}

// String names the work for an error about memory.
func (p Plan) String() string {
	return fmt.Sprintf("factoring it at rank %d by %s", p.Rank, p.Method.Describe().Name)
}

// Start is where a factorization starts from: V and W if they are given.
type Start[T lnmu.Float] struct {
	V, W  lnmu.Dense[T]
	Given bool
	Known *lnmu.Result[T] // of a recursion that is continued
}

// WithDefaults fills in the defaults of a plan that starts here.
func (s Start[T]) WithDefaults(p Plan, m, n int) (Plan, error) {
	if !s.Given {
		left := p.Lines
		p, err := p.WithDefaults(m, n)
		if err != nil && left != nil {
			err = fmt.Errorf("%w (%s without an observed entry are left out)", err, left)
		}
		return p, err
	}
	if p.Rank != s.V.Cols {
		return p, fmt.Errorf("%w: the start V is %d x %d, want %d x %d", lnmu.ErrShape, s.V.Rows, s.V.Cols, m, p.Rank)
	}
	p, err := p.normalized(m, n)
	if err != nil {
		return p, err
	}
	p.Method, p.Settings, err = lnmu.WithDefaultsFrom(shape[T](p, m, n), s.V, s.W, p.Method, &p.Settings)
	return p, err
}

// Factor factors a matrix.
func (s Start[T]) Factor(ctx context.Context, m lnmu.Matrix[T], p Plan) (*lnmu.Result[T], error) {
	m = matrix(p, m)
	switch {
	case s.Known != nil:
		return lnmu.Continue(ctx, m, s.Known, p.Rank, p.Method, &p.Settings)
	case s.Given:
		return lnmu.FactorFrom(ctx, m, s.V, s.W, p.Method, &p.Settings)
	}
	return lnmu.Factor(ctx, m, p.Rank, p.Method, &p.Settings)
}
