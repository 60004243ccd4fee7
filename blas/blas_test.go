package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"

	"nmu/internal/isa"
)

// TestBLAS runs gonum's tests of what is not inherited, at every level.
func TestBLAS(t *testing.T) {
	for _, level := range isa.Available() {
		t.Run(level.String(), func(t *testing.T) {
			defer isa.Set(level)()
			var impl Implementation
			t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, impl) })
			t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, impl) })
			t.Run("Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, impl) })
			t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, impl) })
			t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, impl) })
			t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, impl) })
			t.Run("Dgemv", func(t *testing.T) { testblas.DgemvTest(t, impl) })
			t.Run("Dger", func(t *testing.T) { testblas.DgerTest(t, impl) })
			t.Run("Ddot", func(t *testing.T) { testblas.DdotTest(t, impl) })
			t.Run("Dnrm2", func(t *testing.T) { testblas.Dnrm2Test(t, impl) })
			t.Run("Daxpy", func(t *testing.T) { testblas.DaxpyTest(t, impl) })
			t.Run("Dscal", func(t *testing.T) { testblas.DscalTest(t, impl) })
		})
	}
}
