package lnmu

import (
	"fmt"

	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/start"
)

// Fixed holds columns of V and rows of W that are known. NMF, GNMU and RNMU leave them
// unchanged and find the rest. All of them count as factors, in this order: the columns of
// Fixed.V, the baseline, the rows of Fixed.W, the free factors.
//
// A baseline is a row of ones in W. It gives every row of M an offset, M ≈ V W + b 1ᵀ, as in
// PhoRC (B. Antin and others, Removing direct photocurrent artifacts in optogenetic
// connectivity mapping data via constrained matrix factorization, PLOS Computational Biology
// 2024).
//
//	          V                              W
//	Fixed.V | found | found       found
//	        |       |             ---------------------
//	        |       |             1 1 1 ... (Baseline), Fixed.W
//	        |       |             ---------------------
//	        |       |             found
//
// A recursion finds them first. A baseline alone in its block is the least entry of each row
// of M, as far as the method reaches V W <= M. Together with other factors it is not
// determined: a row of W that is positive everywhere may stand for a part of it.
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
		return fault.Bad("%d fixed columns of V and %d fixed rows of W in factors of rank %d; choose a larger rank", f.V.Cols, f.rows(), rank)
	}
	return start.CheckFixed(m, n, f.V, f.W)
}

// newFixed converts f for an m x n matrix.
func newFixed[T Float](f Fixed, m, n int) (start.Fixed[T], error) {
	return start.NewFixed[T](m, n, f.V, f.W, f.Baseline)
}

// fixing is a method with other defaults where parts of the factors are fixed.
type fixing interface{ forFixed() Method }
