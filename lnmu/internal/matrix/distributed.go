package matrix

import (
	"fmt"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Distributed returns the matrix with length rows, or columns, of which each process has its
// group.Share. x is the part of this process. All processes call it. If a part has the wrong
// shape or type, all get an error.
func Distributed[T kernel.Float](c group.Comm, x kernel.Matrix[T], length int, columns bool) (group.Distributed[T], error) {
	own, rank := x.Rows, x.Cols
	if columns {
		own, rank = x.Cols, x.Rows
	}
	type shape struct {
		length, rank int
		columns      bool
		size         uintptr
	}
	has := shape{length, rank, columns, unsafe.Sizeof(T(0))}
	first := has
	c.Broadcast(group.Bytes(&first))
	from, to := group.Share(length, c.Rank(), c.Size())
	if c.Size() == 1 {
		from, to = 0, length
	}
	var err error
	switch {
	case has != first || rank < 1 || length < 1:
		err = fmt.Errorf("%w: process %d has a part of %d x %d numbers of %d bytes, and process 0 of %d x %d of %d", core.ErrShape, c.Rank(), length, rank, has.size, first.length, first.rank, first.size)
	case own != to-from:
		err = fmt.Errorf("%w: process %d of %d has %d rows or columns of a factor of %d; want %d from %d on (counted from 0), see Share", core.ErrShape, c.Rank(), c.Size(), own, length, to-from, from)
	case own == 0:
		x = New[T](x.Rows, x.Cols, nil)
	default:
		err = Check("a factor", x)
	}
	if err := group.Agree(c, err); err != nil {
		return group.Distributed[T]{}, err
	}
	return group.Distributed[T]{X: x, Columns: columns, First: from, Whole: length}, nil
}
