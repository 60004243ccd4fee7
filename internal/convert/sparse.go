package convert

import (
	"cmp"
	"fmt"
	"slices"

	"nmu/internal/matio"
)

// addSparse adds the rows of a sparse matrix.
func (j *job) addSparse(f *matio.File) error {
	rows, cols := f.Dims()
	fits := func(entries int64) error {
		if _, dense := j.out.(*npySink); dense && int64(rows) > matio.ExpandLimit(entries)/int64(cols) {
			return fmt.Errorf("%s: a sparse matrix of %d x %d with %d entries is not made dense: choose a folder as the output: %w", f.Path(), rows, cols, entries, matio.ErrTooLarge)
		}
		return nil
	}
	g := &gatherer{job: j, most: int(j.Memory / 8 / entryBytes)}
	if f.ByRow() {
		if err := fits(f.Stored()); err != nil {
			return err
		}
		if err := matio.Entries(f, g.add); err != nil {
			return err
		}
		return g.to(rows)
	}
	s := j.newSorter()
	if err := matio.Entries(f, s.add); err != nil {
		return err
	}
	if err := fits(s.n); err != nil {
		return err
	}
	if err := s.each(g.put); err != nil {
		return err
	}
	return g.to(rows)
}

// gatherer makes sorted rows from entries that come row by row.
type gatherer struct {
	*job
	row  int // of the entries that are held
	held []entry
	most int     // of these
	long *sorter // has the entries of a row of more
	n    int64   // of all entries

	last    entry // of the row, in order, to which those of its place are added
	pending bool  // it is there
}

// entry is an entry of a row.
type entry struct {
	j int32
	v float64
}

const entryBytes = 16

// add adds an entry. The entries of a row may come in any order.
func (g *gatherer) add(i, j int32, v float64) error {
	if g.n++; g.n%elementChunk == 0 {
		if err := g.ctx.Err(); err != nil {
			return err
		}
	}
	if int(i) > g.row {
		if err := g.to(int(i)); err != nil {
			return err
		}
	}
	if g.long == nil && len(g.held) < g.most {
		g.held = append(g.held, entry{j, v})
		return nil
	}
	if g.long == nil {
		g.long = g.newSorter()
		for _, e := range g.held {
			if err := g.long.add(i, e.j, e.v); err != nil {
				return err
			}
		}
		g.held = g.held[:0]
	}
	return g.long.add(i, j, v)
}

// to ends the rows before row.
func (g *gatherer) to(row int) error {
	byColumn := func(a, b entry) int { return cmp.Compare(a.j, b.j) }
	if !slices.IsSortedFunc(g.held, byColumn) {
		slices.SortStableFunc(g.held, byColumn)
	}
	for _, e := range g.held {
		if err := g.put(int32(g.row), e.j, e.v); err != nil {
			return err
		}
	}
	g.held = g.held[:0]
	if g.long != nil {
		long := g.long
		g.long = nil
		if err := long.each(g.put); err != nil {
			return err
		}
	}
	return g.end(row)
}

// put adds an entry. The entries of a row come in order.
func (g *gatherer) put(i, j int32, v float64) error {
	if err := g.end(int(i)); err != nil {
		return err
	}
	if g.pending && g.last.j == j {
		g.last.v += v
		return nil
	}
	err := g.flush()
	g.last, g.pending = entry{j, v}, true
	return err
}

// flush writes the last entry.
func (g *gatherer) flush() error {
	if !g.pending || g.last.v == 0 {
		g.pending = false
		return nil
	}
	g.pending = false
	return g.out.entry(int(g.last.j), g.last.v)
}

// end ends the rows before row, after put has taken all their entries.
func (g *gatherer) end(row int) error {
	if g.row >= row {
		return nil
	}
	if err := g.flush(); err != nil {
		return err
	}
	for ; g.row < row; g.row++ {
		if err := g.out.endRow(); err != nil {
			return err
		}
		if g.row%elementChunk == 0 && g.ctx.Err() != nil {
			return g.ctx.Err()
		}
	}
	return nil
}
