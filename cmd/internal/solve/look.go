package solve

import (
	"context"
	"unsafe"

	"nmu/cmd/internal/record"
	"nmu/internal/direct"
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
	r, err := Join(j.All, &whole, p)
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
		m = borrowed(j.All, m, rep.Rows, rep.Cols)
	}
	if err == nil {
		rep.Distance, err = page.Measure(m, r.V, r.W, rep.LargestEntry)
	}
	if parts {
		release(j.All)
	}
	return j.All.Agree(err, "")
}

// lookBytes is how much of M is read at once for the page, if a line of it has no more.
const lookBytes = 4 << 20

// together returns how many lines are read at once for the page.
func (l storedLines[T]) together() int {
	rows, cols := l.Lines.Dims()
	return min(max(rows, cols), max(1, lookBytes/(min(rows, cols)*int(unsafe.Sizeof(T(0))))))
}

// source returns the matrix for the page, without the entries that a mask does not observe.
func (l storedLines[T]) source(mask *lnmu.Mask) page.Source[T] {
	m := page.Source[T]{}
	m.Rows, m.Cols = l.Dims()
	rows, cols := l.Lines.Dims()
	m.ByColumns = rows < cols
	most, width := l.together(), min(rows, cols)
	var room []T
	m.Read = func(is, js []int, to lnmu.Dense[T]) error {
		if room == nil {
			room = direct.Make[T](l.Room(most))
		}
		wanted := is
		if m.ByColumns {
			wanted = js
		}
		for at, n := 0, 0; at < len(wanted); at += n {
			n = nearby(wanted[at:], most)
			first := wanted[at]
			lines, err := l.ReadLines(room, first, wanted[at+n-1]+1)
			if err != nil {
				return err
			}
			for k := at; k < at+n; k++ {
				line := lines[(wanted[k]-first)*width:][:width]
				if m.ByColumns {
					for t, i := range is {
						to.Row(t)[k] = line[i]
					}
					continue
				}
				for t, j := range js {
					to.Row(k)[t] = line[j]
				}
			}
		}
		page.Hide(mask, is, js, to)
		return nil
	}
	return m
}

// nearby returns how many of the first wanted lines are read at once: those among so many consecutive
// lines of which at least half are wanted.
func nearby(wanted []int, most int) (n int) {
	for n = 1; n < len(wanted) && wanted[n]-wanted[0] < min(most, 2*(n+1)); n++ {
	}
	return n
}
