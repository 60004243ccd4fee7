package lnmu

import (
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
	partV, err := matrix.Distributed(ofLong, v, p.Rows, false)
	if err != nil {
		return nil, nil, err
	}
	partW, err := matrix.Distributed(ofShort, w, p.Cols, true)
	if err != nil {
		return nil, nil, err
	}
	return &DistributedFactor[T]{ofLong, partV}, &DistributedFactor[T]{ofShort, partW}, nil
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
	return state.MatrixSum(j.all, j.part)
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
