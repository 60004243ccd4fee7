package blas

import (
	"fmt"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

func timeOf(f func()) float64 {
	best := 1e9
	for r := 0; r < 4; r++ {
		n := 0
		t := time.Now()
		for time.Since(t) < 4*time.Millisecond {
			f()
			n++
		}
		best = min(best, time.Since(t).Seconds()/float64(n))
	}
	return best
}

func TestTune(t *testing.T) {
	if os.Getenv("TUNE") == "" {
		t.Skip()
	}
	for _, n := range []int{2, 4, 6, 8, 10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048} {
		a := make([]float64, n*n)
		b := make([]float64, n*n)
		c := make([]float64, n*n)
		for i := range a {
			a[i], b[i] = float64(i%7), float64(i%5)
		}
		for _, tt := range []string{"NN", "NT", "TN", "TT"} {
			if tt == "TT" && n > 512 {
				continue
			}
			tA, tB := blas.Transpose(tt[0]), blas.Transpose(tt[1])
			mine := timeOf(func() { Implementation{}.Dgemm(tA, tB, n, n, n, 1, a, n, b, n, 0, c, n) })
			gon := 0.0
			if n <= 512 {
				gon = timeOf(func() { gonum.Implementation{}.Dgemm(tA, tB, n, n, n, 1, a, n, b, n, 0, c, n) })
			}
			fmt.Printf("%5d %s %8.2f us %6.1f GFLOP/s  gonum %.2f x\n", n, tt, mine*1e6, 2*float64(n)*float64(n)*float64(n)/mine/1e9, gon/mine)
		}
	}
}
