package solve

import (
	"context"
	"math"

	"nmu/cmd/internal/record"
	"nmu/internal/data"
	"nmu/internal/page"
	"nmu/lnmu"
)

// show adds the distance of M from V W to the report if the page is asked for, in process 0. m is the
// matrix, or the part of this process; shared says that each of several processes has all of it. before
// is the error of the run, after which there is no page, unless a signal has ended the run. All
// processes call show, and all get an error if one of them fails.
func show[T lnmu.Float](ctx context.Context, j *Job, rep *record.Factor, res *lnmu.Result[T], p Plan, m page.Source[T], shared bool, before error) error {
	if !j.Report || !j.All.Decide(res.V.Cols > 0 && (before == nil || ctx.Err() != nil)) {
		return nil
	}
	whole := *res
	r, err := Join(j.All, &whole, p, rep)
	if err != nil {
		return err
	}
	parts := j.All.Count() > 1 && !shared
	if j.All.Helper() {
		if err = r.Lend(); err == nil && parts {
			err = lend(j.All, m)
		}
		return j.All.Agree(err, "")
	}
	err = r.Gather()
	r.Release()
	if parts {
		m = borrowed(j.All, m, r.V.Rows, r.W.Cols)
	}
	if err == nil {
		v, w := data.Spread(p.Lines, r.V, r.W, 0)
		rep.Distance, err = page.Measure(Whole(m, p.Lines, rep.Entries > 0), v, w, rep.LargestEntry)
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
	rows, cols := l.Whole()
	ofRows, ofCols := l.Kept()
	return m.Within(rows, cols, ofRows, ofCols, absent)
}
