package factor

import (
	"cmp"
	"slices"

	"nmu/internal/record"
	"nmu/internal/work"
	"nmu/lnmu"
)

// topOf returns at most the k largest entries of each factor, without zeros. Equal entries
// keep their order.
func topOf[T lnmu.Float](r *work.Reply[T], k int, rowNames, colNames []string) ([]record.TopFactor, error) {
	rank, cols := r.V.Cols, r.Cols()
	ofRows, ofCols := newLargest(rank, k), newLargest(rank, k)
	all := func(each func(do func([]T) error) error, add func(at int, value float64)) error {
		at := 0
		return each(func(x []T) error {
			for _, v := range x {
				add(at, float64(v))
				at++
			}
			return nil
		})
	}
	err := all(r.EachV, func(at int, value float64) { ofRows.add(at%rank, at/rank, value) })
	if err == nil {
		err = all(r.EachW, func(at int, value float64) { ofCols.add(at/cols, at%cols, value) })
	}
	top := make([]record.TopFactor, rank)
	for f := range top {
		top[f] = record.TopFactor{Factor: f + 1, Rows: ofRows.named(f, rowNames), Cols: ofCols.named(f, colNames)}
	}
	return top, err
}

// largest has the k largest entries of each factor so far, and up to k more of those
// that came after them.
type largest struct {
	k    int
	list [][]record.TopEntry
}

func newLargest(rank, k int) *largest { return &largest{k, make([][]record.TopEntry, rank)} }

// add takes note of an entry of factor f, of which i is the index.
func (l *largest) add(f, i int, value float64) {
	if !(value > 0) {
		return
	}
	if l.list[f] = append(l.list[f], record.TopEntry{Index: i + 1, Value: value}); len(l.list[f])/2 >= l.k {
		l.cut(f)
	}
}

// cut leaves the k largest entries of factor f, in order.
func (l *largest) cut(f int) {
	slices.SortStableFunc(l.list[f], func(a, b record.TopEntry) int { return cmp.Compare(b.Value, a.Value) })
	l.list[f] = l.list[f][:min(l.k, len(l.list[f]))]
}

// named returns the k largest entries of factor f, with names if there are any.
func (l *largest) named(f int, names []string) []record.TopEntry {
	l.cut(f)
	entries := append([]record.TopEntry{}, l.list[f]...)
	for n := range entries {
		if names != nil {
			entries[n].Name = names[entries[n].Index-1]
		}
	}
	return entries
}
