package solve

import (
	"context"
	"math"
	"unsafe"

	"nmu/cmd/internal/input"
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
		v, w := input.Factors(p.Lines, r.V, r.W)
		rep.Distance, err = page.Measure(spread(m, p.Lines, rep.Entries > 0), v, w, rep.LargestEntry)
	}
	if parts {
		release(j.All)
	}
	return j.All.Agree(err, "")
}

// spread returns the whole matrix, given its lines l. The entries of the others are zero if the matrix is
// sparse, else missing.
func spread[T lnmu.Float](m page.Source[T], l *input.Lines, sparse bool) page.Source[T] {
	if l == nil {
		return m
	}
	rows, cols := places(l.LeftRows()), places(l.LeftCols())
	absent := T(math.NaN())
	if sparse {
		absent = 0
	}
	return page.Source[T]{Rows: len(rows), Cols: len(cols), ByColumns: m.ByColumns, Read: func(is, js []int, to lnmu.Dense[T]) error {
		for n := range to.Rows {
			for t := range to.Row(n) {
				to.Row(n)[t] = absent
			}
		}
		inRows, toRows := chosen(is, rows)
		inCols, toCols := chosen(js, cols)
		if len(inRows) == 0 || len(inCols) == 0 {
			return nil
		}
		block := lnmu.NewDense[T](len(inRows), len(inCols), nil)
		if err := m.Read(inRows, inCols, block); err != nil {
			return err
		}
		for n, i := range toRows {
			for t, j := range toCols {
				to.Row(i)[j] = block.Row(n)[t]
			}
		}
		return nil
	}}
}

// places returns the places of lines among those that are not left out, or -1.
func places(out []bool) []int {
	at, n := make([]int, len(out)), 0
	for i, gone := range out {
		if at[i] = -1; !gone {
			at[i] = n
			n++
		}
	}
	return at
}

// chosen returns the places of the wanted lines that have one, and which they are.
func chosen(wanted, places []int) (at, which []int) {
	for k, i := range wanted {
		if places[i] >= 0 {
			at, which = append(at, places[i]), append(which, k)
		}
	}
	return at, which
}

// lookBytes is how much of M is read at once for the page, if a line of it has no more.
const lookBytes = 4 << 20

// together returns how many lines are read at once for the page.
func (l storedLines[T]) together() int {
	return min(max(l.rows, l.cols), max(1, lookBytes/(l.width()*int(unsafe.Sizeof(T(0))))))
}

// source returns the matrix for the page, without the entries that a mask does not observe.
func (l storedLines[T]) source(mask *lnmu.Mask) page.Source[T] {
	m := page.Source[T]{}
	m.Rows, m.Cols = l.Dims()
	m.ByColumns = l.rows < l.cols
	most, width := l.together(), l.width()
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
