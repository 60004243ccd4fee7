package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/must"
)

func lengths(x []float64) (l1, l2 float64) {
	for _, a := range x {
		l1 += math.Abs(a)
		l2 += a * a
	}
	return l1, math.Sqrt(l2)
}

// TestProjectSparse checks that the projection meets both norms, and that no
// other such vector is nearer (of many that are tried).
func TestProjectSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 4, 50, 1000} {
		for _, sparseness := range []float64{0, 0.1, 0.5, 0.9, 1} {
			for range 20 {
				x := make([]float64, n)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				_, l2 := lengths(x)
				l1 := l1For(sparseness, l2, n)
				y := append([]float64(nil), x...)
				projectSparse(y, make([]bool, n), l1, l2)
				got1, got2 := lengths(y)
				if math.Abs(got1-l1) > 1e-9*l1 || math.Abs(got2-l2) > 1e-6*l2 {
					t.Fatalf("n = %d, sh = %v: norms %v, %v, want %v, %v", n, sparseness, got1, got2, l1, l2)
				}
				if mat.Min(mat.NewVecDense(n, y)) < 0 {
					t.Fatalf("n = %d, sh = %v: negative entry in %v", n, sparseness, y)
				}
				distance := mat.Norm(diff(x, y), 2)
				for range 20 {
					z := make([]float64, n)
					for i := range z {
						z[i] = x[i] + rng.NormFloat64()*l2*math.Exp2(-float64(rng.IntN(12)))
					}
					projectSparse(z, make([]bool, n), l1, l2)
					if other := mat.Norm(diff(x, z), 2); n <= 3 && other < distance*(1-1e-9) {
						t.Fatalf("n = %d, sh = %v: %v at %v from %v, but %v at %v", n, sparseness, y, distance, x, z, other)
					}
				}
			}
		}
	}
}

func diff(x, y []float64) mat.Vector {
	d := mat.NewVecDense(len(x), nil)
	d.SubVec(mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y))
	return d
}

// TestProjectSparseTies checks vectors without a direction of their own.
func TestProjectSparseTies(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		sh   float64
		want []float64
	}{
		{[]float64{2, 2, 2, 2}, 1, []float64{4, 0, 0, 0}},
		{[]float64{2, 2, 2, 2}, 0, []float64{2, 2, 2, 2}},
		{[]float64{0, 0}, 0.5, []float64{0, 0}},
		{[]float64{5}, 0.5, []float64{5}},
		{[]float64{1, 3, 3, 0}, 1, []float64{0, math.Sqrt(19), 0, 0}},
	} {
		_, l2 := lengths(c.x)
		y := append([]float64(nil), c.x...)
		projectSparse(y, make([]bool, len(y)), l1For(c.sh, l2, len(y)), l2)
		must.AtMost(t, mat.Norm(diff(y, c.want), 2), 1e-6, c.x, "sh", c.sh, y)
	}
}
