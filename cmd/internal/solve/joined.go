package solve

import (
	"io"
	"math"

	"nmu/cmd/internal/process"
	"nmu/cmd/internal/record"
	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/lnmu"
	"nmu/lnmu/topics"
)

// Run is the result of a factorization. With several processes, each holds a part of the
// longer factor, V or W. Process 0 can receive that factor in pieces, any number of times.
type Run[T lnmu.Float] struct {
	*lnmu.Result[T]
	v, w *lnmu.DistributedFactor[T]
	lent *lnmu.DistributedFactor[T] // v or w, or nil
	all  *process.Group
}

// Join joins the results that all processes have found by a plan, for the lines that the report does not
// leave out.
func Join[T lnmu.Float](all *process.Group, res *lnmu.Result[T], p Plan, rep *record.Factor) (r Run[T], err error) {
	r = Run[T]{Result: res, all: all}
	p.rows, p.cols = rep.Left.Dims(rep.Rows, rep.Cols)
	r.v, r.w, err = lnmu.Part[T]{Processes: p.World, Rows: p.rows, Cols: p.cols}.Factors(res.V, res.W)
	switch {
	case p.World == nil:
	case p.rows >= p.cols:
		r.lent = r.v
	default:
		r.lent = r.w
	}
	return r, err
}

// ScaleTopics scales the results that all processes have found by a plan to proportions.
func ScaleTopics[T lnmu.Float](all *process.Group, res *lnmu.Result[T], p Plan, rep *record.Factor) error {
	p.rows, p.cols = rep.Left.Dims(rep.Rows, rep.Cols)
	if p.World == nil {
		return topics.Scale(res.V, res.W)
	}
	return all.Agree(topics.ScalePart(lnmu.Part[T]{Processes: p.World, Rows: p.rows, Cols: p.cols}, res.V, res.W), "")
}

// Measure adds to the report what is said of the factors, of which there is one at least. All processes call it.
func (r Run[T]) Measure(rep *record.Factor) {
	v, w := r.v.Sparsity(), r.w.Sparsity()
	rep.SparsityV, rep.HoyerV, rep.SHA256V = v.Zeros, v.Hoyer, r.v.SHA256()
	rep.SparsityW, rep.HoyerW, rep.SHA256W = w.Zeros, w.Hoyer, r.w.SHA256()
}

// EachV calls do in process 0 for consecutive pieces of V, row by row.
func (r Run[T]) EachV(do func(numbers []T) error) error { return r.each(r.v, do) }

// EachW is EachV for W.
func (r Run[T]) EachW(do func(numbers []T) error) error { return r.each(r.w, do) }

// Cols returns the number of columns of all of W.
func (r Run[T]) Cols() int {
	_, cols := r.w.Dims()
	return cols
}

// each calls do in process 0 for consecutive pieces of v or w, row by row.
func (r Run[T]) each(x *lnmu.DistributedFactor[T], do func(numbers []T) error) error {
	if x == r.lent {
		r.all.Decide(true) // another request follows
	}
	return x.Each(do)
}

// Lend sends the part of this process to process 0 at each request, until Release.
func (r Run[T]) Lend() error {
	for r.all.Decide(false) {
		if err := r.lent.Each(nil); err != nil {
			return err
		}
	}
	return nil
}

// Release ends Lend in the other processes.
func (r Run[T]) Release() {
	if r.lent != nil {
		r.all.Decide(false)
	}
}

// Gather makes V and W whole, in process 0.
func (r *Run[T]) Gather() error {
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
	if r.lent == r.v {
		r.V = whole
	} else {
		r.W = whole
	}
	r.v, r.w, err = lnmu.Part[T]{Rows: r.V.Rows, Cols: r.W.Cols}.Factors(r.V, r.W)
	return err
}

// Spread puts V and W, which are whole in this process, into those of the whole matrix, with NaN for what the report
// leaves out.
func (r *Run[T]) Spread(rep *record.Factor) (err error) {
	r.V, r.W = data.Spread(rep.Left, r.V, r.W, T(math.NaN()))
	r.lent = nil
	if r.v, r.w, err = (lnmu.Part[T]{Rows: r.V.Rows, Cols: r.W.Cols}).Factors(r.V, r.W); err == nil {
		rep.SHA256V, rep.SHA256W = r.v.SHA256(), r.w.SHA256()
	}
	return err
}

// NpyV returns a function that writes V to a .npy file if other processes lend parts of V,
// and nil if not.
func (r Run[T]) NpyV() func(w io.Writer) error { return r.npy(r.v) }

// NpyW is NpyV for W.
func (r Run[T]) NpyW() func(w io.Writer) error { return r.npy(r.w) }

// npy returns what writes v or w to a file if it is lent, or nil.
func (r Run[T]) npy(x *lnmu.DistributedFactor[T]) func(w io.Writer) error {
	if x != r.lent {
		return nil
	}
	rows, cols := x.Dims()
	return func(w io.Writer) error {
		return matio.StreamNpy(w, rows, cols, func(do func(numbers []T) error) error { return r.each(x, do) })
	}
}
