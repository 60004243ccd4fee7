package lnmu

import (
	"fmt"
	"io"
	"unsafe"

	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// DistributedFactor is a factor whose rows or columns are held by several processes: the rows
// of V or the columns of W in the Result of each. No process has the whole in memory.
//
// All processes call its methods, the same ones in the same order.
type DistributedFactor[T Float] struct {
	all  Processes
	part group.Distributed[T]
}

// Factors returns the V and W of a result as a whole, of which this process has v and w. They
// share the memory of these. All processes call it, with the same number of factors. Of p,
// Matrix is not used. If one of the processes has something else than its part, all get an
// error, which wraps ErrShape, or ErrProcess in the others. Without Processes, v and w are
// whole.
func (p Part[T]) Factors(v, w Dense[T]) (ofV, ofW *DistributedFactor[T], err error) {
	var ofLong, ofShort Processes = group.Or(p.Processes), group.Self{}
	if p.Cols > p.Rows {
		ofLong, ofShort = ofShort, ofLong
	}
	if ofV, err = newDistributedFactor(ofLong, v, p.Rows, false); err != nil {
		return nil, nil, err
	}
	ofW, err = newDistributedFactor(ofShort, w, p.Cols, true)
	return ofV, ofW, err
}

// newDistributedFactor returns the factor with so many rows, or columns, of which this process
// has x.
func newDistributedFactor[T Float](all Processes, x Dense[T], length int, columns bool) (*DistributedFactor[T], error) {
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
	all.Broadcast(group.Bytes(&first))
	from, to := Share(length, 0, all.Rank(), all.Size())
	if all.Size() == 1 {
		from, to = 0, length
	}
	var err error
	switch {
	case has != first || rank < 1 || length < 1:
		err = fmt.Errorf("%w: process %d has a part of %d x %d numbers of %d bytes, and process 0 of %d x %d of %d", ErrShape, all.Rank(), length, rank, has.size, first.length, first.rank, first.size)
	case own != to-from:
		err = fmt.Errorf("%w: process %d of %d has %d rows or columns of a factor of %d; want %d from %d on (counted from 0), see Share", ErrShape, all.Rank(), all.Size(), own, length, to-from, from)
	case own == 0:
		x = NewDense[T](x.Rows, x.Cols, nil)
	default:
		err = matrix.Check("a factor", x)
	}
	if err := group.Agree(all, err); err != nil {
		return nil, err
	}
	return &DistributedFactor[T]{all, group.Distributed[T]{X: x, Columns: columns, First: from, Whole: length}}, nil
}

// Dims returns the rows and columns of the factor.
func (j *DistributedFactor[T]) Dims() (rows, cols int) {
	if j.part.Columns {
		return j.part.X.Rows, j.part.Whole
	}
	return j.part.Whole, j.part.X.Cols
}

// Each calls do, in process 0, with all numbers of the factor, row by row without gaps,
// in pieces of 8192 at most, which are do's until it returns. If do returns an error,
// Each returns it, and calls do no more. The other processes send what they have, a piece
// at a time; their do is not called and may be nil.
func (j *DistributedFactor[T]) Each(do func(numbers []T) error) error {
	if j.all.Rank() > 0 {
		j.part.Send(j.all)
		return nil
	}
	var failed error
	j.part.Gather(j.all, func(numbers []T) {
		if failed == nil {
			failed = do(numbers)
		}
	})
	return failed
}

// SHA256 returns in all processes what the function of that name returns for the factor.
// They compute it one after the other, and send each other only how far it is.
func (j *DistributedFactor[T]) SHA256() string {
	var buf []byte
	return state.Sum(j.all, j.part.Turns(), func(turn int, to io.Writer) {
		j.part.Turn(turn, func(row []T) {
			buf = state.AppendFloats(buf[:0], row)
			_, _ = to.Write(buf)
		})
	})
}

// Sparsity returns in all processes that of the columns of V, or of the rows of W. They
// count one after the other, and send each other a few numbers for each factor.
func (j *DistributedFactor[T]) Sparsity() Sparsity {
	vectors := j.part.X
	if !j.part.Columns {
		vectors = vectors.Transposed()
	}
	return sparsityOf(j.all, vectors, j.part.Whole)
}
