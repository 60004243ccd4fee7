package convert

import (
	"fmt"

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
	g := &gatherer{sorter: sorter{job: j, most: int(j.Memory / 4 / recordBytes)}}
	add := g.sorter.add
	if f.ByRow() {
		if err := fits(f.Stored()); err != nil {
			return err
		}
		add = g.add
	}
	if err := matio.Entries(f, add); err != nil {
		return err
	}
	if !f.ByRow() {
		if err := fits(g.n); err != nil {
			return err
		}
	}
	return g.to(rows)
}

// gatherer makes rows from the entries in its sorter.
type gatherer struct {
	sorter
	row  int    // of the entries that are held, if these come row by row
	last record // of the row, in order, to which those of its place are added; 0 is not written
}

// add adds an entry. The entries of a row may come in any order.
func (g *gatherer) add(i, j int32, v float64) error {
	if int(i) > g.row {
		if err := g.to(int(i)); err != nil {
			return err
		}
	}
	return g.sorter.add(i, j, v)
}

// to ends the rows before row.
func (g *gatherer) to(row int) error {
	if err := g.each(g.put); err != nil {
		return err
	}
	return g.end(row)
}

// put adds an entry. The entries of a row come in order.
func (g *gatherer) put(r record) error {
	if err := g.end(r.row()); err != nil {
		return err
	}
	if g.last.key == r.key {
		g.last.v += r.v
		return nil
	}
	err := g.flush()
	g.last = r
	return err
}

// flush writes the last entry.
func (g *gatherer) flush() error {
	r := g.last
	g.last.v = 0
	if r.v == 0 {
		return nil
	}
	return g.job.out.entry(r.col(), r.v)
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
		if err := g.job.out.endRow(); err != nil {
			return err
		}
		if g.row%elementChunk == 0 && g.ctx.Err() != nil {
			return g.ctx.Err()
		}
	}
	return nil
}
