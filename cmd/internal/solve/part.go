package solve

import (
	"nmu/cmd/internal/process"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// PartOf returns the start of this process for an m x n matrix: only the rows of V, or
// the columns of W, that belong to its part of the matrix.
func PartOf[T lnmu.Float](p *process.Group, s Start[T], m, n int) Start[T] {
	if !s.Given {
		return s
	}
	side := &s.V
	if m < n {
		side = &s.W
	}
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	*side = sliceOf(*side, m < n, first, last)
	return s
}

// sliceOf returns a copy of the rows of V from first to last-1, or the columns of W.
func sliceOf[T lnmu.Float](d lnmu.Dense[T], wide bool, first, last int) lnmu.Dense[T] {
	i0, i1, j0, j1 := first, last, 0, d.Cols
	if wide {
		i0, i1, j0, j1 = 0, d.Rows, first, last
	}
	part := lnmu.NewDense[T](i1-i0, j1-j0, nil)
	for i := range part.Rows {
		copy(part.Row(i), d.Row(i0 + i)[j0:j1])
	}
	return part
}

// Divide returns the plan for the part of an m x n matrix that this process holds, of which it has the
// mask and the weights.
func (p Plan) Divide(all *process.Group, m, n int) Plan {
	p.World, p.rows, p.cols = all.World, m, n
	return p
}

// BlockOf returns the rows and columns of an m x n matrix that this process holds.
func BlockOf(all lnmu.Processes, m, n int) matio.Block {
	first, last := lnmu.Share(m, n, all.Rank(), all.Size())
	if m >= n {
		return matio.Block{I0: first, I1: last, J1: n}
	}
	return matio.Block{I1: m, J0: first, J1: last}
}
