package tiles

import (
	"fmt"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// Scan holds the counts of entries that the tiles of a stored matrix depend on.
type Scan[T kernel.Float] struct {
	in      Input[T] // so far
	part    core.Part
	form    Form
	rows    *reading[T]
	columns counts // entries of the columns, if they are needed
	entries int    // of this process
}

// NewScan reads M once, checks its values and counts its entries. Each process reads a part of
// M, some of its rows or of its columns. If missing is true, entries that are not stored are
// missing rather than zero, and every row and column must store one. All processes ask
// interrupted together; if it is true, NewScan returns group.ErrInterrupted.
func NewScan[T kernel.Float](c group.Comm, m Reader[T], part core.Part, f Form, missing bool, interrupted func() bool) (*Scan[T], error) {
	rows, cols := m.Dims()
	x := &Scan[T]{part: part, form: f, rows: &reading[T]{rowsOfM: rowsOfM[T]{Reader: m}}}
	x.in = Input[T]{comm: c, rows: part.Whole, cols: cols, interrupted: interrupted}
	if x.rows.row = part.First; part.Columns {
		x.in.rows, x.in.cols = rows, part.Whole
		x.rows.row, x.rows.col = 0, part.First
	}
	if x.turns() || missing {
		x.columns = make(counts, cols)
	}
	if c.Size() == 1 {
		x.in.magnitude = &magnitude[T]{}
	}
	if err := group.Rounds(c, interrupted, x.step); err != nil {
		return nil, err
	}
	all := struct{ entries, claims int }{}
	group.Ring(c, group.Bytes(&all), func() { all.entries, all.claims = all.entries+x.entries, all.claims+m.Entries() })
	if all.entries != all.claims {
		return nil, fmt.Errorf("%w: M has %d entries, and claims %d", fault.ErrShape, all.entries, all.claims)
	}
	x.in.Entries = all.entries
	if missing {
		return x, checkLines(c, part, x.rows.counts, x.columns)
	}
	return x, nil
}

// turns reports whether M is kept by its columns.
func (x *Scan[T]) turns() bool { return x.in.cols > x.in.rows && !x.form.ByRows }

// step reads some rows, and reports whether there are more.
func (x *Scan[T]) step() (more bool, err error) {
	rows, _ := x.rows.Dims()
	if x.rows.at == rows {
		return false, nil
	}
	c, err := x.rows.next(rows)
	if err != nil {
		return false, err
	}
	x.entries += len(c.Val)
	if x.in.magnitude != nil {
		x.in.magnitude.add(c.Val)
	}
	if x.columns != nil {
		for _, j := range c.Idx {
			x.columns[j]++
		}
	}
	return x.rows.at < rows, nil
}

// Store writes M tile by tile into scratch files in a directory, with space for the state of a
// method. If M is wide, or there are several processes, it sorts the entries first. Close
// removes the files.
func (x *Scan[T]) Store(threads int, dir string) (*Input[T], error) {
	if err := x.store(threads, dir); err != nil {
		x.in.Close()
		return nil, err
	}
	return &x.in, nil
}

// store is Store, but leaves the files when it fails.
func (x *Scan[T]) store(threads int, dir string) (err error) {
	in := &x.in
	if !x.turns() {
		x.columns = nil
	}
	in.setShares(x.part.Columns, x.rows.counts, x.columns)
	again := &reading[T]{rowsOfM: x.rows.rowsOfM, counts: x.rows.counts, again: true}
	in.stored = again.rowsOfM
	rows := source[T](again)
	var turned *sorter[T]
	defer func() { turned.close() }()
	if in.comm.Size() > 1 || in.ofCols != nil {
		if in.sorted, turned, err = in.sort(again, dir); err != nil {
			return err
		}
		rows = in.sorted
		if turned != nil {
			rows = turned
		}
	}
	in.Tiles = in.newTiling(x.form)
	if err := group.Agree(in.comm, in.Tiles.setFile(threads, dir)); err != nil {
		return err
	}
	w := &writer[T]{Tiling: in.Tiles, rows: rows, block: make([]blockOfUnit[T], in.Tiles.Blocks)}
	if err := group.Rounds(in.comm, in.interrupted, w.step); err != nil {
		return err
	}
	turned.close()
	if err := group.Agree(in.comm, in.Tiles.addState(x.form, dir)); err != nil || in.sorted == nil {
		return err
	}
	err = group.Rounds(in.comm, in.interrupted, in.sorted.step) // the rows are left to sort if the tiles were made of columns
	s := in.sorted
	s.ptr, s.sorted, s.stored, s.given = nil, nil, nil, CSR[T]{}
	return err
}

// sort returns two sorters: of the rows of M in this process, if there are several processes,
// and of its columns, if M is kept by columns.
func (x Input[T]) sort(from *reading[T], dir string) (rows, columns *sorter[T], err error) {
	d := delivery[T]{comm: x.comm, from: from}
	if x.comm.Size() > 1 {
		rows, err = newSorter[T](x.ofRows.own(), x.cols, true, dir)
		d.to = append(d.to, newMail(rows, x.ofRows, false))
	}
	if x.ofCols != nil && err == nil {
		columns, err = newSorter[T](x.ofCols.own(), x.rows, false, dir)
		d.to = append(d.to, newMail(columns, x.ofCols, true))
	}
	if err = group.Agree(x.comm, err); err == nil {
		err = group.Rounds(x.comm, x.interrupted, d.step)
	}
	if err != nil {
		return rows, columns, err
	}
	for _, m := range d.to {
		if err == nil {
			err = m.sorter.complete()
		}
	}
	return rows, columns, group.Agree(x.comm, err)
}
