package lnmu

import (
	"fmt"

	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/start"
)

// fixes reports whether any factor is fixed.
func (s *Settings) fixes() bool { return s.FixedV.Cols > 0 || s.fixedRows() > 0 }

// fixedRows returns the number of rows of W that are fixed.
func (s *Settings) fixedRows() int {
	if s.Baseline {
		return s.FixedW.Rows + 1
	}
	return s.FixedW.Rows
}

// checkFixed checks the fixed factors of an m x n matrix.
func (s *Settings) checkFixed(m, n, rank int) error {
	if s.FixedV.Rows < 0 || s.FixedV.Cols < 0 || s.FixedW.Rows < 0 || s.FixedW.Cols < 0 {
		return fmt.Errorf("%w: fixed factors of negative size", ErrShape)
	}
	if !s.fixes() {
		return nil
	}
	if s.FixedV.Cols > rank || s.fixedRows() > rank-s.FixedV.Cols {
		return fault.Bad("%d fixed columns of V and %d fixed rows of W in factors of rank %d; choose a larger rank", s.FixedV.Cols, s.fixedRows(), rank)
	}
	return start.CheckFixed(m, n, s.FixedV, s.FixedW)
}

// newFixed converts the fixed factors of an m x n matrix.
func newFixed[T Float](s Settings, m, n int) (start.Fixed[T], error) {
	return start.NewFixed[T](m, n, s.FixedV, s.FixedW, s.Baseline)
}

// fixing is a method with other defaults where parts of the factors are fixed.
type fixing interface{ forFixed() Method }
