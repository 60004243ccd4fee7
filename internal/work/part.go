package work

import (
	"fmt"

	"nmu/internal/matio"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
)

// part returns the start of this process for an m x n matrix: only the rows of V, or
// the columns of W, that belong to its part of the matrix.
func (s Start[T]) part(all distributed.Processes, m, n int) (Start[T], error) {
	if !s.Given {
		return s, nil
	}
	if s.V.Rows != m || s.W.Cols != n {
		return s, fmt.Errorf("%w: the start V W is %d x %d, want %d x %d", lnmu.ErrShape, s.V.Rows, s.W.Cols, m, n)
	}
	if b := blockOf(all, m, n); m >= n {
		s.V = s.V.Slice(b.I0, b.I1, 0, s.V.Cols)
	} else {
		s.W = s.W.Slice(0, s.W.Rows, b.J0, b.J1)
	}
	return s, nil
}

// blockOf returns the rows and columns of an m x n matrix that this process holds.
func blockOf(all distributed.Processes, m, n int) matio.Block {
	first, last := distributed.Share(m, n, all.Rank(), all.Size())
	if m >= n {
		return matio.Block{I0: first, I1: last, J1: n}
	}
	return matio.Block{I1: m, J0: first, J1: last}
}
