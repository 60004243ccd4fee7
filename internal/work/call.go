package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

// Call is a call of the engine, by the command or by a function of the C library: its matrix M, and what counts of it.
type Call[T lnmu.Float] struct {
	Job
	File *matio.File     // M, or what stands for a matrix of the caller
	M    lnmu.Matrix[T]  // in the memory of the caller; nil: File holds it
	Seen *data.Selection // after Select

	need int64 // bytes of the work, after Read
}

// sparse reports whether M stays sparse.
func (c *Call[T]) sparse() bool {
	x, _ := c.M.(lnmu.Unread[T])
	_, csr := c.M.(lnmu.CSR[T])
	return csr || x.Sparse || c.M == nil && c.File.Sparse() && !c.Dense
}

// Select reads what counts of M, before M is read. Rows and columns without an observed entry are left out of a dense M of
// a file, unless factors of all of them are given, and columns of new ones always. A factorization leaves a sparse M
// sparse. Another call makes that of a file dense if some entries do not count.
func (c *Call[T]) Select(call options.Call, r *data.Request, given bool) (err error) {
	columns, sparse := call == options.Transform, c.sparse() && (c.M != nil || call == options.Factor)
	if columns && sparse && (r.Has("mask") || r.Weighs() || r.Skips()) {
		return fmt.Errorf("%w: a mask or weights for the columns of a sparse matrix, which would make it dense; make M dense", lnmu.ErrOption)
	}
	if err := r.Leave(c.File, sparse, c.M == nil, given); err != nil {
		return err
	}
	r.Empty = r.Empty || columns && !given
	if c.Seen, err = data.Select(r, c.File, columns, Parts(c.All)); err != nil {
		return err
	}
	c.Seen.Gaps = c.Seen.Gaps && !sparse // whose NaN are refused
	c.Dense = c.Dense || !sparse && (c.Seen.Lines != nil || c.Seen.Weights != nil || c.Seen.Missing())
	return nil
}

// held returns the memory of M and the program, while M is read and then, and how many entries a sparse M stores at most.
func (c *Call[T]) held(isRead bool) (reading, held int64, entries int) {
	switch m, _ := c.M.(lnmu.CSR[T]); {
	case c.M != nil:
		return 0, c.program(), len(m.Val)
	case c.sparse():
		held, entries = matio.SparseSize[T](c.File)
		return Plus(matio.SparsePeak[T](c.File), c.program()), Plus(held, c.program()), entries
	case !isRead:
		held = matio.DenseSize[T](c.File)
	}
	return 0, Plus(held, beside[T](c.File, &c.Job, isRead)), 0
}

// take reads M and returns what counts of it. what names the work on it.
func (c *Call[T]) take(what string) (o lnmu.Observed[T], err error) {
	m := c.M
	if m == nil {
		if m, err = data.Matrix[T](c.File, c.Dense); err != nil {
			return o, err
		}
	}
	o, err = data.Take(c.Seen, m, c.M == nil && !c.File.Mapped(), what)
	if c.Library {
		c.File.Until(context.Background()) // a run that is cancelled still reads M for its results
	}
	return o, err
}

// Read reads M and returns what counts of it, if memory holds it beside the work, for which need returns the bytes, given
// the entries that a sparse M stores.
func (c *Call[T]) Read(what string, need func(entries int) int64) (o lnmu.Observed[T], err error) {
	reading, held, entries := c.held(false)
	if c.M == nil {
		err = c.File.Fits(max(reading, Plus(held, need(entries))), what)
	}
	if err == nil {
		o, err = c.take(what)
	}
	if err != nil || c.M != nil {
		return o, err
	}
	if m, sparse := o.Matrix.(lnmu.CSR[T]); sparse {
		entries = len(m.Val)
	}
	c.need = need(entries)
	return o, c.File.Reserve(Plus(beside[T](c.File, &c.Job, true), c.need), what)
}

// Do does the work on M after Read, whose file must not change meanwhile. An error names the position in M.
func (c *Call[T]) Do(work func() error) error {
	return c.File.Guard(func() error {
		defer c.keepWithin(c.need)()
		err := work()
		c.Seen.Lines.Locate(err)
		return err
	})
}

// unread returns M without its entries, given how many a sparse one stores.
func (c *Call[T]) unread(entries int) lnmu.Unread[T] {
	rows, cols := c.File.Dims()
	return lnmu.Unread[T]{Rows: rows, Cols: cols, Sparse: c.sparse(), Entries: entries, Missing: c.Seen.Missing(), Weighted: c.Seen.Weights != nil}
}

// Weights are the weights of the columns of M in a basis, NaN in columns that are left out.
type Weights[T lnmu.Float] struct {
	*lnmu.Transformed[T]
	Took  time.Duration // without reading
	Notes []string
}

// Weighing returns the settings for the weights of new columns.
func (c *Call[T]) Weighing() lnmu.TransformSettings {
	how := c.Run.Transform
	how.Iterations, how.Tolerance, how.Threads = c.Iterations, c.Tolerance, c.Processors()
	return how
}

// Transform finds the weights of the columns of M in the basis v, from a start, unless that is zero. With an error there may be
// finished columns.
func (c *Call[T]) Transform(ctx context.Context, v, start lnmu.Dense[T]) (*Weights[T], error) {
	w, how, copied := new(Weights[T]), c.Weighing(), int64(0)
	if left := data.Blank(v, lnmu.Dense[T]{}); left != nil {
		w.Notes = append(w.Notes, fmt.Sprintf("%s has left out %s, whose entries do not count", map[bool]string{false: "BASIS", true: "V"}[c.Library], left))
		copied = whole[T](c.File)
	}
	m, err := c.Read(fmt.Sprintf("finding its weights at rank %d", v.Cols), func(entries int) int64 { return Plus(copied, c.unread(entries).EstimateTransform(v.Cols, &how).Memory) })
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	err = c.Do(func() (err error) {
		w.Transformed, err = lnmu.Transform(ctx, m, v, data.PartCols(c.Seen.Lines, start), &how)
		return err
	})
	if w.Took = time.Since(begun); w.Transformed == nil || errors.Is(err, matio.ErrChanged) {
		return nil, err
	}
	if l := c.Seen.Lines; l != nil {
		w.W = data.SpreadCols(l, w.W, T(math.NaN()))
		w.Notes = append(w.Notes, fmt.Sprintf("left out: %s without an observed entry, whose weights are NaN", l))
	}
	return w, err
}

// ReadColumns is Read for lnmu.Update at a rank.
func (c *Call[T]) ReadColumns(rank int) (lnmu.Observed[T], error) {
	how := c.Weighing()
	rows, cols := c.File.Dims()
	return c.Read(fmt.Sprintf("going on with it at rank %d", rank), func(entries int) int64 {
		return Plus(c.unread(entries).EstimateTransform(rank, &how).Memory, byteCount(6*float64(rank)*float64(rows+cols+rank)*float64(unsafe.Sizeof(T(0)))))
	})
}

// ReadFactored is Read for an improvement of factors by a plan.
func (c *Call[T]) ReadFactored(p Plan) (lnmu.Observed[T], error) {
	p.rows, p.cols = c.File.Dims()
	return c.Read(fmt.Sprintf("improving factors of rank %d", p.Rank), func(entries int) int64 {
		more, _ := improvingNeed(p, lnmu.Matrix[T](c.unread(entries)))
		return more // of settings that lnmu refuses 0
	})
}

// Biclique looks for a biclique in the graph whose 0/1 matrix is M, a Dense or a CSR if it is that of a caller. It closes the
// file when it has the graph.
func (c *Call[T]) Biclique(ctx context.Context) (g *biclique.Graph, res biclique.Result, err error) {
	const what = "a search in it"
	opt := biclique.Options{Starts: c.Starts, Iterations: c.Iterations, Seed: c.Seed, Threads: c.Threads}
	rows, cols := c.File.Dims()
	_, held, _ := c.held(false)
	estimate := func(edges int) (build, find int64) {
		return biclique.EstimateOf(rows, cols, edges, min(cmp.Or(opt.Threads, runtime.GOMAXPROCS(0)), cmp.Or(opt.Starts, biclique.DefaultStarts)))
	}
	need := func(edges int) int64 {
		build, find := estimate(edges)
		return max(build, find-held+c.program()) // M is gone when the search begins
	}
	m, err := c.Read(what, need)
	if err != nil {
		return nil, res, err
	}
	err = c.File.Guard(func() error {
		if sparse, ok := m.Matrix.(lnmu.CSR[T]); ok {
			g, err = biclique.FromSparse(sparse)
			return err
		}
		dense, edges := m.Matrix.(lnmu.Dense[T]), 0
		for i := range rows {
			for _, x := range dense.Row(i) {
				if x != 0 {
					edges++
				}
			}
		}
		if err := c.File.Fits(need(edges)-need(0), what); err != nil {
			return err
		}
		g, err = biclique.FromDense(dense)
		return err
	})
	if m.Matrix = nil; err != nil {
		return nil, res, err
	}
	c.File.Close()
	_, c.need = estimate(g.Edges())
	defer c.keepWithin(c.need)()
	res, err = biclique.Find(ctx, g, opt)
	return g, res, err
}
