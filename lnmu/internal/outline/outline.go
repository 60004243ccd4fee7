// Package outline holds what is known of M before its entries are read: its shape, the part of
// it that this process has, and which entries count.
package outline

import (
	"fmt"

	"nmu/kernel"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Matrix is what is known of M before its entries are read.
type Matrix struct {
	Rows, Cols int              // of M as a whole
	Entries    observed.Entries // that count, of the part of this process
	Settled    bool             // Entries are those that Settle returns
	StoredOnly bool             // entries that a sparse M does not store are missing
	Processes  group.Comm       // which hold a part each; nil: M is whole
	Own        core.Window      // the rows and columns of this process
	Shared     bool             // every process can read all of M, which is stored
}

// Part is the part of M that one of several processes holds, see package distributed.
type Part[T kernel.Float] struct {
	matrix.Any[T]
	Processes  group.Comm
	Rows, Cols int // of M as a whole
}

// Parted is implemented by a Part alone, and by a struct that embeds one.
type Parted interface{ parted() }

func (Part[T]) parted() {}

// Comm returns the processes, or a group of one if there are none.
func (o *Matrix) Comm() group.Comm { return group.Or(o.Processes) }

// Part returns the part of M that this process has.
func (o *Matrix) Part() core.Part {
	if o.Cols > o.Rows {
		return core.Part{First: o.Own.Cols.From, Whole: o.Cols, Columns: true}
	}
	return core.Part{First: o.Own.Rows.From, Whole: o.Rows}
}

// Divide sets Own to the part of M that Share gives to this process, and checks that its rows x
// cols matrix has this shape. A stored sparse matrix may also be M as a whole; then Shared is
// true.
func (o *Matrix) Divide(rows, cols int, stored bool) error {
	p := o.Processes
	if p.Rank() < 0 || p.Rank() >= p.Size() {
		return fault.Bad("process %d of %d", p.Rank(), p.Size())
	}
	if o.Rows < 1 || o.Cols < 1 {
		return fmt.Errorf("%w: M is %d x %d in whole; set Rows and Cols of the Whole", fault.ErrShape, o.Rows, o.Cols)
	}
	first, last := group.Share(max(o.Rows, o.Cols), p.Rank(), p.Size())
	o.Own = core.Window{Rows: group.Span{To: o.Rows}, Cols: group.Span{To: o.Cols}}
	along := &o.Own.Rows
	if o.Cols > o.Rows {
		along = &o.Own.Cols
	}
	*along = group.Span{From: first, To: last}
	if o.Shared = stored && rows == o.Rows && cols == o.Cols; o.Shared {
		return nil
	}
	return o.checkPart(rows, cols)
}

// checkPart returns an error unless the rows x cols matrix of this process is its part of M.
func (o *Matrix) checkPart(rows, cols int) error {
	if rows == o.Own.Rows.Len() && cols == o.Own.Cols.Len() {
		return nil
	}
	along, what := o.Own.Rows, "rows"
	if o.Cols > o.Rows {
		along, what = o.Own.Cols, "columns"
	}
	c := o.Comm()
	return fmt.Errorf("%w: process %d of %d has a %d x %d part of a %d x %d matrix; want %d x %d, its %s from %d on (counted from 0), see Share", fault.ErrShape, c.Rank(), c.Size(), rows, cols, o.Rows, o.Cols, o.Own.Rows.Len(), o.Own.Cols.Len(), what, along.From)
}

// AgreeShared settles in all processes whether they share out the rows of M. They do if each of
// them can read all of M. Otherwise the rows x cols matrix of this process must be its part.
func (o *Matrix) AgreeShared(rows, cols int) (err error) {
	if o.Shared = !group.NewVote(o.Comm()).Any(!o.Shared); !o.Shared {
		err = o.checkPart(rows, cols)
	}
	return group.Agree(o.Comm(), err)
}

// Incomplete reports whether entries are missing, or have weights.
func (o *Matrix) Incomplete() bool { return o.Entries.Incomplete() || o.StoredOnly }

// Settle checks the mask and the weights of M, and removes them if they have no effect
// (observed.Entries.Settle). All processes call it, and if one of them has an error, all have
// one.
func (o *Matrix) Settle() error {
	if o.Settled {
		return nil
	}
	c, p := o.Comm(), o.Part()
	e, err := o.Entries.Settle(c, p, o.Own.Rows.Len(), o.Own.Cols.Len())
	if err == nil {
		err = e.CheckLines(c, p)
	}
	o.Entries, o.Settled = e, true
	return err
}

// FactorSums returns the hashes of V and W. Each process has a part of one factor, and all of
// the other.
func FactorSums[T kernel.Float](o *Matrix, v, w kernel.Matrix[T]) (ofV, ofW string) {
	part := o.Part()
	sum := func(x kernel.Matrix[T], shared bool) string {
		if !shared || o.Comm().Size() == 1 {
			return codec.MatrixSum(group.Self{}, group.Distributed[T]{X: x})
		}
		return codec.MatrixSum(o.Comm(), group.Distributed[T]{X: x, Columns: part.Columns, First: part.First, Whole: part.Whole})
	}
	return sum(v, !part.Columns), sum(w, part.Columns)
}
