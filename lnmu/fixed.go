package lnmu

import (
	"fmt"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/start"
)

// Fixed are parts of the factors that are known and stay as they are, for NMF, GNMU and
// RNMU: what belongs to them is found. The first columns of V are those of Fixed.V; the
// rows of W that come after as many as these are those of Fixed.W, each with a column of V
// that is found. A baseline is a row of ones before those of Fixed.W, which gives every
// row of M an offset, M ≈ V W + b 1ᵀ (as PhoRC has it: B. Antin and others, Removing
// direct photocurrent artifacts in optogenetic connectivity mapping data via constrained
// matrix factorization, PLOS Computational Biology 2024). All of them count as factors.
//
//	          V                              W
//	Fixed.V | found | found       found
//	        |       |             ---------------------
//	        |       |             1 1 1 ... (Baseline), Fixed.W
//	        |       |             ---------------------
//	        |       |             found
//
// In a recursion they are the factors that are found first: of M, then of what is left.
// There a baseline alone in its block is the least entry of each row of M, as far as the
// method reaches V W <= M. Found together with other factors, in a block or by NMF and
// GNMU, it is not determined, as rows of W that are positive everywhere may stand for a
// part of it.
type Fixed struct {
	V        Dense[float64] // m x k, any k; empty for none
	W        Dense[float64] // k x n, likewise
	Baseline bool
}

// any reports whether anything is fixed.
func (f Fixed) any() bool { return f.V.Cols > 0 || f.W.Rows > 0 || f.Baseline }

// rows returns the number of rows of W that are fixed.
func (f Fixed) rows() int {
	if f.Baseline {
		return f.W.Rows + 1
	}
	return f.W.Rows
}

// check checks them for factors of an m x n matrix.
func (f Fixed) check(m, n, rank int) error {
	if f.V.Rows < 0 || f.V.Cols < 0 || f.W.Rows < 0 || f.W.Cols < 0 {
		return fmt.Errorf("%w: fixed factors of negative size", ErrShape)
	}
	if !f.any() {
		return nil
	}
	if f.V.Cols > rank || f.rows() > rank-f.V.Cols {
		return core.Bad("%d fixed columns of V and %d fixed rows of W in factors of rank %d; choose a larger rank", f.V.Cols, f.rows(), rank)
	}
	for _, x := range []struct {
		name       string
		d          Dense[float64]
		rows, cols int
	}{{"fixed V", f.V, m, f.V.Cols}, {"fixed W", f.W, f.W.Rows, n}} {
		switch {
		case x.d.Rows*x.d.Cols == 0:
			continue
		case x.d.Rows != x.rows || x.d.Cols != x.cols:
			return fmt.Errorf("%w: the %s is %d x %d, want %d x %d", ErrShape, x.name, x.d.Rows, x.d.Cols, x.rows, x.cols)
		}
		if err := matrix.Check(x.name, x.d); err != nil {
			return err
		}
		for i := range x.d.Rows {
			if err := matrix.CheckRow(x.name, i, x.d.Row(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// newFixed converts f for an m x n matrix.
func newFixed[T Float](f Fixed, m, n int) (start.Fixed[T], error) {
	return start.NewFixed[T](m, n, f.V, f.W, f.Baseline)
}
