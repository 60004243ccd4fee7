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
			return fmt.Errorf("a sparse matrix of %d x %d with %d entries is not made dense: choose a folder as the output: %w", rows, cols, entries, matio.ErrTooLarge)
		}
		return nil
	}
	g := &gatherer{job: j, path: f.Path(), most: int(j.Memory / 8 / entryBytes)}
	if f.ByRow() {
		if err := fits(f.Stored()); err != nil {
			return err
		}
		if err := matio.Entries(f, g.add); err != nil {
			return err
		}
		return g.finish(rows)
	}
	s := &sorter{job: j, most: int(j.Memory / 4 / recordBytes)}
	if err := matio.Entries(f, s.add); err != nil {
		return err
	}
	if err := fits(s.n); err != nil {
		return err
	}
	if err := s.each(g.add); err != nil {
		return err
	}
	return g.finish(rows)
}

// gatherer makes rows of entries that come row by row.
type gatherer struct {
	*job
	path string
	most int // entries of a row
	row  int // of the entries that are held
	held []entry
	n    int64 // of all entries
}

// entry is an entry of a row.
type entry struct {
	j int32
	v float64
}

const entryBytes = 16

// add adds an entry.
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
	if k := len(g.held) - 1; k >= 0 && g.held[k].j == j {
		g.held[k].v += v // as it comes: one of a place that comes again is not held
		return nil
	}
	if len(g.held) == g.most {
		return &matio.MemoryError{Path: g.path, What: fmt.Sprintf("row %d of more than %d entries", i+1, g.most), Need: 2 * g.Memory, Limit: g.Memory}
	}
	g.held = append(g.held, entry{j, v})
	return nil
}

// to ends the rows before the given one.
func (g *gatherer) to(row int) error {
	byColumn := func(a, b entry) int { return cmp.Compare(a.j, b.j) }
	if !slices.IsSortedFunc(g.held, byColumn) {
		slices.SortStableFunc(g.held, byColumn)
	}
	for k := 0; k < len(g.held); {
		e := g.held[k]
		for k++; k < len(g.held) && g.held[k].j == e.j; k++ {
			e.v += g.held[k].v
		}
		if e.v != 0 {
			if err := g.out.entry(int(e.j), e.v); err != nil {
				return err
			}
		}
	}
	g.held = g.held[:0]
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

// finish ends all rows.
func (g *gatherer) finish(rows int) error { return g.to(rows) }
