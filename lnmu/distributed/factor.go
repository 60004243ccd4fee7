package distributed

import (
	"fmt"
	"unsafe"

	"nmu/lnmu"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/support"
	"nmu/lnmu/outcome"
)

// Factor is a factor whose rows or columns are held by several processes: the rows
// of V or the columns of W in the Result of each. No process has the whole in memory.
//
// All processes call its methods, the same ones in the same order.
type Factor[T lnmu.Float] struct {
	all  Processes
	part group.Distributed[T]
}

// Factors returns the whole V and W of a result, of which this process has the parts v and w.
// They share memory with these. All processes call it, with the same number of factors. If v or w in a process is not its part, all processes get an error, which
// wraps ErrShape there and ErrProcess in the others. Without Processes, v and w are whole.
func (x Whole[T]) Factors(v, w lnmu.Dense[T]) (ofV, ofW *Factor[T], err error) {
	var ofLong, ofShort Processes = group.Or(x.Processes), group.Self{}
	if x.Cols > x.Rows {
		ofLong, ofShort = ofShort, ofLong
	}
	partV, err := distributed(ofLong, v, x.Rows, false)
	if err != nil {
		return nil, nil, err
	}
	partW, err := distributed(ofShort, w, x.Cols, true)
	if err != nil {
		return nil, nil, err
	}
	return &Factor[T]{ofLong, partV}, &Factor[T]{ofShort, partW}, nil
}

// distributed returns the matrix with length rows, or columns, of which each process has its
// group.Share. x is the part of this process. All processes call it. If a part has the wrong
// shape or type, all get an error.
func distributed[T lnmu.Float](c group.Comm, x lnmu.Dense[T], length int, columns bool) (group.Distributed[T], error) {
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
		err = fmt.Errorf("%w: process %d has a part of %d x %d numbers of %d bytes, and process 0 of %d x %d of %d", fault.ErrShape, c.Rank(), length, rank, has.size, first.length, first.rank, first.size)
	case own != to-from:
		err = fmt.Errorf("%w: process %d of %d has %d rows or columns of a factor of %d; want %d from %d on (counted from 0), see Share", fault.ErrShape, c.Rank(), c.Size(), own, length, to-from, from)
	case own == 0:
		x = lnmu.NewDense[T](x.Rows, x.Cols, nil)
	default:
		err = matrix.Check("a factor", x)
	}
	if err := group.Agree(c, err); err != nil {
		return group.Distributed[T]{}, err
	}
	return group.Distributed[T]{X: x, Columns: columns, First: from, Whole: length}, nil
}

// Dims returns the rows and columns of the factor.
func (f *Factor[T]) Dims() (rows, cols int) {
	if f.part.Columns {
		return f.part.X.Rows, f.part.Whole
	}
	return f.part.Whole, f.part.X.Cols
}

// Each calls do in process 0 with all numbers of the factor, row by row without gaps, in pieces
// of at most 8192. A piece is valid until do returns. If do returns an error, Each stops and
// returns it. The other processes send their parts a piece at a time; their do is not called
// and may be nil.
func (f *Factor[T]) Each(do func(numbers []T) error) error {
	if f.all.Rank() > 0 {
		group.Send[T](f.all, f.part)
		return nil
	}
	var failed error
	group.Gather[T](f.all, f.part, func(numbers []T) {
		if failed == nil {
			failed = do(numbers)
		}
	})
	return failed
}

// SHA256 returns the hash of the whole factor, as factors.SHA256 does, in all processes.
// They hash their parts one after the other, and send only the state of the hash.
func (f *Factor[T]) SHA256() string {
	return codec.MatrixSum(f.all, f.part)
}

// Sparsity returns the sparsity of the columns of V, or of the rows of W, in all processes.
// They count one after the other, and send a few numbers for each factor.
func (f *Factor[T]) Sparsity() outcome.Sparsity {
	vectors := f.part.X
	if !f.part.Columns {
		vectors = vectors.Transposed()
	}
	zeros, hoyer := support.Sparsity(f.all, vectors, f.part.Whole)
	return outcome.Sparsity{Zeros: zeros, Hoyer: hoyer}
}
