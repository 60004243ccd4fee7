package work

import (
	"context"
	"math"
	"slices"

	"nmu/internal/data"
	"nmu/internal/page"
	"nmu/lnmu"
)

// show measures the distance of M from V W if the page is asked for, in process 0. m is the
// matrix, or the part of this process; shared says that each of several processes has all of it. before
// is the error of the run, after which there is no page, unless a signal has ended the run. All
// processes call show, and all get an error if one of them fails.
func (r *Reply[T]) show(ctx context.Context, j *Job, m page.Source[T], shared bool, before error) error {
	if !j.Report || !j.All.Decide(r.V.Cols > 0 && (before == nil || ctx.Err() != nil)) {
		return nil
	}
	whole := *r.Result
	x := Reply[T]{Result: &whole, Plan: r.Plan, all: j.All}
	if err := x.join(); err != nil {
		return err
	}
	var err error
	parts := j.All.Count() > 1 && !shared
	if j.All.Helper() {
		if err = x.lend(); err == nil && parts {
			err = lend(j.All, m)
		}
		return j.All.Agree(err, "")
	}
	err = x.gather()
	x.Release()
	if parts {
		m = borrowed(j.All, m, x.V.Rows, x.W.Cols)
	}
	if err == nil {
		v, w := data.Spread(r.Plan.Lines, x.V, x.W, 0)
		r.Distance, err = page.Measure(Whole(m, r.Plan.Lines, r.Entries > 0), v, w, r.LargestEntry)
	}
	if parts {
		release(j.All)
	}
	return j.All.Agree(err, "")
}

// Whole returns the whole matrix for the page, given its lines l. The entries of the others are zero if the matrix is
// sparse, else missing.
func Whole[T lnmu.Float](m page.Source[T], l *data.Lines, sparse bool) page.Source[T] {
	if l == nil {
		return m
	}
	absent := T(math.NaN())
	if sparse {
		absent = 0
	}
	among := func(n int, kept []int) []int {
		at := slices.Repeat([]int{-1}, n)
		for k, i := range kept {
			at[i] = k
		}
		return at
	}
	rows, cols := l.Whole()
	ofRows, ofCols := l.Kept()
	return m.Pick(among(rows, ofRows), among(cols, ofCols), absent)
}
