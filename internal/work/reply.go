package work

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/process"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/outcome"
	"nmu/lnmu/topics"
)

// Reply is the result of a factorization, and how it was found. With several processes, each holds a part of the
// longer factor, V or W. Process 0 can receive that factor in pieces, any number of times.
type Reply[T lnmu.Float] struct {
	*lnmu.Result[T]
	Plan Plan // as it was run, with all defaults

	Entries  int            // that a sparse M stores
	Missing  int            // entries of M
	Took     time.Duration  // of the factorization alone
	Improved *Improvement   // or nil
	Distance *page.Distance // of V W from M, which the page shows

	OfV, OfW Measured // after Finish

	v, w *distributed.Factor[T]
	lent *distributed.Factor[T] // v or w, or nil
	all  *process.Group
}

// part returns the part of M that this process has, without its entries.
func (r *Reply[T]) part() distributed.Whole[T] {
	return distributed.Whole[T]{Processes: r.Plan.World, Rows: r.Plan.rows, Cols: r.Plan.cols}
}

// Measured is what is said of a factor as a whole.
type Measured struct {
	outcome.Sparsity
	SHA256 string
}

// join joins and measures what all processes have found. All call it.
func (r *Reply[T]) join() (err error) {
	if r.v, r.w, err = r.part().Factors(r.V, r.W); err != nil {
		return err
	}
	switch {
	case r.Plan.World == nil:
	case r.Plan.rows >= r.Plan.cols:
		r.lent = r.v
	default:
		r.lent = r.w
	}
	r.OfV, r.OfW = Measured{r.v.Sparsity(), r.v.SHA256()}, Measured{r.w.Sparsity(), r.w.SHA256()}
	return nil
}

// ReplyOf returns the reply of a plan for the whole matrix, whose run took this time.
func ReplyOf[T lnmu.Float](p Plan, res *lnmu.Result[T], took time.Duration) (*Reply[T], error) {
	r := &Reply[T]{Result: res, Plan: p, Took: took}
	r.Plan.rows, r.Plan.cols = res.V.Rows, res.W.Cols
	r.note(r.Plan.rows, r.Plan.cols)
	return r, r.join()
}

// note puts what a reader might not expect of the factors of a matrix of this size before the other notes.
func (r *Reply[T]) note(rows, cols int) {
	p := &r.Plan
	notes := aboveSize(p.Rank, rows, cols)
	exact := slices.ContainsFunc(r.Blocks, func(b outcome.Block) bool { return len(b.Exact) > 0 })
	if options.Text(p.Method)["feasible"] != "" && !exact && r.V.Cols > 0 && r.MaxViolation > 0 {
		why := "interrupted"
		if r.Stop == outcome.StopTime {
			why = "ended by the time limit"
		}
		notes = append(notes, "the factors were not made feasible, since the run was "+why)
	}
	for k := 1; k < len(r.Blocks) && options.DescriptionOf(p.Method).Recursive; k++ {
		if b, before := r.Blocks[k], r.Blocks[k-1]; b.Error > before.Error {
			notes = append(notes, fmt.Sprintf("the error rises from %s at rank %d to %s at rank %d", render.Percent(before.Error), before.Rank, render.Percent(b.Error), b.Rank))
			break
		}
	}
	r.Notes = append(notes, r.Notes...)
}

// aboveSize returns a note on a rank above the sides of a matrix, if it is.
func aboveSize(rank, rows, cols int) (notes []string) {
	if short := min(rows, cols); rank > short {
		notes = append(notes, fmt.Sprintf("rank %d is above %d, the shorter side of the matrix: V W can equal M with fewer factors", rank, short))
	}
	return notes
}

// Finish joins and measures the factors, of which there is one at least, scales them to proportions if asked to, and
// makes them whole if the plan says so. Factors of lines that are left out are NaN. All processes call Finish: process 0
// calls Release in the end, and in the others it returns only then.
func (r *Reply[T]) Finish(proportions bool) (err error) {
	switch {
	case proportions && r.Plan.World == nil:
		err = topics.Scale(r.V, r.W)
	case proportions:
		err = r.all.Agree(topics.ScalePart(r.part(), r.V, r.W), "")
	}
	if err != nil {
		return fmt.Errorf("--scale topics: %w", err)
	}
	if err := r.join(); err != nil {
		return err
	}
	if r.all.Helper() {
		return r.lend()
	}
	if r.Plan.Gathers || r.Plan.Lines != nil {
		err = r.gather()
		r.Release()
	}
	if err == nil && r.Plan.Lines != nil {
		r.V, r.W = data.Spread(r.Plan.Lines, r.V, r.W, T(math.NaN()))
		if r.v, r.w, err = (distributed.Whole[T]{Rows: r.V.Rows, Cols: r.W.Cols}).Factors(r.V, r.W); err == nil {
			r.OfV.SHA256, r.OfW.SHA256 = r.v.SHA256(), r.w.SHA256()
		}
	}
	return err
}

// EachV calls do in process 0 for consecutive pieces of V, row by row.
func (r *Reply[T]) EachV(do func(numbers []T) error) error { return r.each(r.v, do) }

// EachW is EachV for W.
func (r *Reply[T]) EachW(do func(numbers []T) error) error { return r.each(r.w, do) }

// Cols returns the number of columns of all of W.
func (r *Reply[T]) Cols() int {
	_, cols := r.w.Dims()
	return cols
}

// each calls do in process 0 for consecutive pieces of v or w, row by row.
func (r *Reply[T]) each(x *distributed.Factor[T], do func(numbers []T) error) error {
	if x == r.lent {
		r.all.Decide(true) // another request follows
	}
	return x.Each(do)
}

// lend sends the part of this process to process 0 at each request, until Release.
func (r *Reply[T]) lend() error {
	for r.all.Decide(false) {
		if err := r.lent.Each(nil); err != nil {
			return err
		}
	}
	return nil
}

// Release ends lend in the other processes. Nothing is left to do after the first call.
func (r *Reply[T]) Release() {
	if r.lent != nil {
		r.lent = nil
		r.all.Decide(false)
	}
}

// gather makes V and W whole, in process 0.
func (r *Reply[T]) gather() error {
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
	r.v, r.w, err = distributed.Whole[T]{Rows: r.V.Rows, Cols: r.W.Cols}.Factors(r.V, r.W)
	return err
}

// NpyV returns a function that writes V to a .npy file if other processes lend parts of V,
// and nil if not.
func (r *Reply[T]) NpyV() func(w io.Writer) error { return r.npy(r.v) }

// NpyW is NpyV for W.
func (r *Reply[T]) NpyW() func(w io.Writer) error { return r.npy(r.w) }

// npy returns what writes v or w to a file if it is lent, or nil.
func (r *Reply[T]) npy(x *distributed.Factor[T]) func(w io.Writer) error {
	if x != r.lent {
		return nil
	}
	rows, cols := x.Dims()
	return func(w io.Writer) error {
		return matio.StreamNpy(w, rows, cols, func(do func(numbers []T) error) error { return r.each(x, do) })
	}
}
