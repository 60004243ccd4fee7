package lnmu

import (
	"fmt"
	"io"
	"unsafe"

	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// DistributedFactor is a factor as a whole of which several processes have parts: the rows of V or
// the columns of W that are in the Result of each. It is nowhere in memory as a whole.
//
// All processes call its methods, the same ones in the same order.
type DistributedFactor[T Float] struct {
	all  Processes
	part group.Distributed[T]
}

// NewDistributedFactor returns the factor of which this process has x: rows of V, or with part.Columns
// columns of W, those that Share says. It shares the memory of x. All processes call it,
// with the same number of factors. If one of them has something else, all get an error,
// which wraps ErrShape, or ErrProcess in the others.
//
// With all nil there is one process, x is the whole factor, and of part only Columns
// counts, which says whether that is W.
func NewDistributedFactor[T Float](x Dense[T], all Processes, part Part) (*DistributedFactor[T], error) {
	own, rank := x.Rows, x.Cols
	if part.Columns {
		own, rank = x.Cols, x.Rows
	}
	if all == nil {
		all, part.First, part.Whole = group.Self{}, 0, own
	}
	type shape struct {
		whole, rank int
		columns     bool
		size        uintptr
	}
	has := shape{part.Whole, rank, part.Columns, unsafe.Sizeof(T(0))}
	first := has
	all.Broadcast(group.Bytes(&first))
	from, to := Share(part.Whole, 0, all.Rank(), all.Size())
	var err error
	switch {
	case part.First != from || own != to-from:
		err = fmt.Errorf("%w: process %d of %d has %d rows or columns from %d on (counted from 0) of a factor of %d; want %d from %d on, see Share", ErrShape, all.Rank(), all.Size(), own, part.First, part.Whole, to-from, from)
	case has != first || rank < 1 || part.Whole < 1:
		err = fmt.Errorf("%w: process %d has a part of %d x %d numbers of %d bytes, and process 0 of %d x %d of %d", ErrShape, all.Rank(), part.Whole, rank, has.size, first.whole, first.rank, first.size)
	case own == 0:
		x = NewDense[T](x.Rows, x.Cols, nil)
	default:
		err = matrix.Check("a factor", x)
	}
	if err := group.Agree(all, err); err != nil {
		return nil, err
	}
	return &DistributedFactor[T]{all, group.Distributed[T]{X: x, Columns: part.Columns, First: from, Whole: part.Whole}}, nil
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
		vectors = Transposed(vectors)
	}
	return sparsityOf(j.all, vectors, j.part.Whole)
}
