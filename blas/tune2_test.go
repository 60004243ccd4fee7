package blas

import (
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/blas"
)

func TestTune2(t *testing.T) {
	if os.Getenv("TUNE2") == "" {
		t.Skip()
	}
	big := 0
	fmt.Sscan(os.Getenv("TUNE2"), &big)
	for _, n := range []int{4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 100, 128, 256, 512, 1024} {
		if n > big {
			break
		}
		mk := func() []float64 {
			a := make([]float64, n*n)
			for i := range a {
				a[i] = float64(i%7+1) / 1000
			}
			for i := range n {
				a[i*n+i] = 1
			}
			return a
		}
		a, b, c := mk(), mk(), mk()
		for _, k := range []struct {
			name string
			f    func(r routines[float64])
		}{
			{"syrkL", func(r routines[float64]) { r.syrk(blas.Lower, blas.NoTrans, n, n, 1, a, n, 0, c, n) }},
			{"syrkUT", func(r routines[float64]) { r.syrk(blas.Upper, blas.Trans, n, n, 1, a, n, 0, c, n) }},
			{"syr2k", func(r routines[float64]) { r.syr2k(blas.Upper, blas.NoTrans, n, n, 1, a, n, b, n, 0, c, n) }},
			{"symmL", func(r routines[float64]) { r.symm(blas.Left, blas.Upper, n, n, 1, a, n, b, n, 0, c, n) }},
			{"symmR", func(r routines[float64]) { r.symm(blas.Right, blas.Lower, n, n, 1, a, n, b, n, 0, c, n) }},
			{"trsmLL", func(r routines[float64]) { copy(c, b); r.trsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, a, n, c, n) }},
			{"trsmLUT", func(r routines[float64]) { copy(c, b); r.trsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, a, n, c, n) }},
			{"trsmRLT", func(r routines[float64]) { copy(c, b); r.trsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, n, 1, a, n, c, n) }},
			{"trsmRU", func(r routines[float64]) { copy(c, b); r.trsm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, c, n) }},
			{"trmmLU", func(r routines[float64]) { copy(c, b); r.trmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, c, n) }},
			{"trmmRLT", func(r routines[float64]) { copy(c, b); r.trmm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, n, 1, a, n, c, n) }},
			{"gemvN", func(r routines[float64]) { r.gemv(blas.NoTrans, n, n, 1, a, n, b, 1, 0, c, 1) }},
			{"gemvT", func(r routines[float64]) { r.gemv(blas.Trans, n, n, 1, a, n, b, 1, 0, c, 1) }},
			{"ger", func(r routines[float64]) { r.ger(n, n, 0, b, 1, b, 1, c, n); r.ger(n, n, 1e-9, b, 1, b, 1, c, n) }},
			{"dot n2", func(r routines[float64]) { r.dot(n*n, a, 1, b, 1) }},
			{"nrm2 n2", func(r routines[float64]) { r.nrm2(n*n, a, 1) }},
			{"axpy n2", func(r routines[float64]) { r.axpy(n*n, 1e-9, a, 1, c, 1) }},
			{"scal n2", func(r routines[float64]) { r.scal(n*n, 1, c, 1) }},
		} {
			m := timeOf(func() { k.f(mine64) })
			th := timeOf(func() { k.f(their64) })
			mark := ""
			if th/m < 0.95 {
				mark = "  <<<<<"
			}
			fmt.Printf("%5d %-8s %9.2f us  gonum %.2f x%s\n", n, k.name, m*1e6, th/m, mark)
		}
	}
}
