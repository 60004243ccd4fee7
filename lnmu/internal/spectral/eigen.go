// Package spectral decomposes small symmetric matrices. The bits are the same on every machine,
// which a library would not guarantee.
package spectral

import (
	"cmp"
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
)

// Eigen decomposes symmetric n x n matrices, S = Z diag(Values) Zᵀ, by Jacobi's
// cyclic rotations. It allocates nothing after New.
type Eigen struct {
	Values  []float64 // descending
	Vectors []float64 // n x n by rows: column k is vector k

	n     int
	a, z  []float64
	order []int
}

// New returns the workspace for n x n matrices.
func New(a *arena.Arena, n int) *Eigen {
	square := func() []float64 { return arena.Slice[float64](a, n*n) }
	return &Eigen{n: n, Values: make([]float64, n), Vectors: square(), a: square(), z: square(), order: make([]int, n)}
}

// jacobiSweeps is more than convergence, which is quadratic, has ever needed.
const jacobiSweeps = 60

// Decompose decomposes s, which is n x n and is not changed, in O(n³) operations per sweep. For
// n > 64 it calls over at least every O(n²) operations. It returns false, without a result, if
// over returns true.
func Decompose[T kernel.Float](e *Eigen, s kernel.Matrix[T], over func() bool) bool {
	for i := range e.n {
		for j, x := range s.Row(i) {
			e.a[i*e.n+j] = float64(x)
		}
	}
	return e.decompose(over)
}

func (e *Eigen) decompose(over func() bool) bool {
	n, a, z := e.n, e.a, e.z
	clear(z)
	for i := range n {
		z[i*n+i] = 1
	}
	for range jacobiSweeps {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if q%64 == 0 && over() {
					return false
				}
				off := a[p*n+q]
				if math.Abs(off) <= 0x1p-60*math.Sqrt(math.Abs(float64(a[p*n+p]*a[q*n+q]))) || math.Abs(off) < 0x1p-1000 {
					continue
				}
				rotated = true
				tau := (a[q*n+q] - a[p*n+p]) / float64(2*off)
				t := 1 / (math.Abs(tau) + math.Sqrt(1+float64(tau*tau)))
				if tau < 0 {
					t = -t
				}
				c := 1 / math.Sqrt(1+float64(t*t))
				s := float64(t * c)
				for i := range n {
					x, y := a[i*n+p], a[i*n+q]
					a[i*n+p] = float64(c*x) - float64(s*y)
					a[i*n+q] = float64(s*x) + float64(c*y)
				}
				for i := range n {
					x, y := a[p*n+i], a[q*n+i]
					a[p*n+i] = float64(c*x) - float64(s*y)
					a[q*n+i] = float64(s*x) + float64(c*y)
				}
				a[p*n+q], a[q*n+p] = 0, 0
				for i := range n { // rows of z are the vectors
					x, y := z[p*n+i], z[q*n+i]
					z[p*n+i] = float64(c*x) - float64(s*y)
					z[q*n+i] = float64(s*x) + float64(c*y)
				}
			}
		}
		if !rotated {
			break
		}
	}
	for k := range n {
		e.order[k] = k
	}
	slices.SortStableFunc(e.order, func(k, l int) int { return cmp.Compare(a[l*n+l], a[k*n+k]) })
	for k, from := range e.order {
		e.Values[k] = a[from*n+from]
		for i := range n {
			e.Vectors[i*n+k] = z[from*n+i]
		}
	}
	return true
}
