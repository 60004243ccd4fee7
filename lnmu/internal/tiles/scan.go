package tiles

import (
	"fmt"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Scan is what has to be known of a stored matrix before it can be put into tiles.
type Scan[T kernel.Float] struct {
	in      Input[T] // so far
	part    core.Part
	form    Form
	rows    *reading[T]
	columns counts // entries of the columns, if they are needed
	entries int    // of this process
}

// NewScan goes over M once: it checks it and counts its entries. Each process reads a part of M,
// some of its rows or of its columns. What is not stored may be missing, rather than zero.
// interrupted, which all processes ask together, ends it with group.ErrInterrupted.
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
		return nil, fmt.Errorf("%w: M has %d entries, and claims %d", core.ErrShape, all.entries, all.claims)
	}
	x.in.entries = all.entries
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

// Store writes M into scratch files in a directory, tile by tile, with room for the state of a
// method on so many threads. Of a wide M, and of several processes, it sorts the entries before.
// Close removes the files.
func (x *Scan[T]) Store(threads int, dir string) (*Input[T], error) {
	if err := x.store(threads, dir); err != nil {
		x.in.Close()
		return nil, err
	}
	return &x.in, nil
}

// store is Store that leaves the files there when it fails.
func (x *Scan[T]) store(threads int, dir string) (err error) {
	in := &x.in
	if !x.turns() {
		x.columns = nil
	}
	in.setShares(x.part.Columns, x.rows.counts, x.columns)
	again := x.rows.restart()
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
	in.tiles = in.newTiling(x.form)
	if err := group.Agree(in.comm, in.tiles.setFile(threads, dir)); err != nil {
		return err
	}
	if err := group.Rounds(in.comm, in.interrupted, newWriter(in.tiles, rows).step); err != nil {
		return err
	}
	turned.close()
	if err := group.Agree(in.comm, in.tiles.addState(x.form)); err != nil || in.sorted == nil {
		return err
	}
	err = group.Rounds(in.comm, in.interrupted, in.sorted.step) // if no tiles were made of these rows
	in.sorted.settle()
	return err
}

// sort returns the rows of M that this process adds up by, if there are several processes,
// and its columns, if M is kept by these.
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
