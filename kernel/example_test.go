package kernel_test

import (
	"fmt"

	"nmu/kernel"
)

// A rank-one underapproximation of a matrix: Algorithm L-NMU with r = 1, in one
// pass over N = M - Λ for each iteration. The part that is found is the block of
// ones: the last row and column could not be a part of it without covering zeros.
func Example() {
	m := kernel.NewMatrix[float64](4, 4)
	for i, row := range [][]float64{
		{1, 1, 1, 0},
		{1, 1, 1, 0},
		{1, 1, 1, 1},
		{0, 0, 1, 0},
	} {
		copy(m.Row(i), row)
	}
	n := kernel.NewMatrix[float64](4, 4) // Λ = 0
	kernel.Add(n, m)
	v := []float64{1, 1, 1, 1}
	w := kernel.NewMatrix[float64](1, 4)
	copy(w.Row(0), v)
	c := kernel.NewMatrix[float64](1, 4) // vᵀ N
	d := kernel.NewMatrix[float64](1, 1) // vᵀ v
	inv := make([]float64, 1)

	update := kernel.Multiplier[float64]{M: m}
	for k := range 100 {
		if k > 0 { // that of iteration k, on the way
			update.When, update.Mu = kernel.Before, 1/float64(k)
		}
		clear(c.Data)
		ww := kernel.SumSquares(w.Row(0))
		d.Row(0)[0] = kernel.RankOne(c.Row(0), v, n, w.Row(0), kernel.Reciprocal(ww), 0, update)
		kernel.Reciprocals(inv, d)
		kernel.Sweep(w, c, d, inv, 0, kernel.Matrix[float64]{})
	}
	for i := range v {
		vw := kernel.NewMatrix[float64](1, 4)
		kernel.Product(vw, kernel.Matrix[float64]{Rows: 1, Cols: 1, Data: v[i:], Stride: 1}, w)
		fmt.Printf("%.1f\n", vw.Row(0))
	}
	// Output:
	// [1.0 1.0 1.0 0.0]
	// [1.0 1.0 1.0 0.0]
	// [1.0 1.0 1.0 0.0]
	// [0.0 0.0 0.0 0.0]
}

// One HALS iteration of nonnegative matrix factorization at rank 2: V from
// A = M Wᵀ and B = W Wᵀ, then W from C = Vᵀ M and D = Vᵀ V.
func ExampleSweep() {
	m, vt, w := kernel.NewMatrix[float32](3, 4), kernel.NewMatrix[float32](2, 3), kernel.NewMatrix[float32](2, 4)
	copy(m.Row(0), []float32{1, 1, 0, 0})
	copy(m.Row(1), []float32{0, 0, 2, 2})
	copy(m.Row(2), []float32{1, 1, 2, 2})
	copy(w.Row(0), []float32{1, 1, 0, 0})
	copy(w.Row(1), []float32{0, 0, 1, 1})

	a, b, c := kernel.NewMatrix[float32](2, 3), kernel.NewMatrix[float32](2, 2), kernel.NewMatrix[float32](2, 4)
	inv := make([]float32, 2)
	none := kernel.Matrix[float32]{}

	kernel.Contract(a, m, w) // Aᵀ
	kernel.Gram(b, w)
	kernel.Reciprocals(inv, b)
	kernel.Sweep(vt, a, b, inv, 0, none)

	kernel.Accumulate(c, vt, m) // added to zero
	kernel.Gram(b, vt)
	kernel.Reciprocals(inv, b)
	kernel.Sweep(w, c, b, inv, 0, none)

	fmt.Println("V:", vt.Row(0), vt.Row(1))
	fmt.Println("W:", w.Row(0), w.Row(1))
	// Output:
	// V: [1 0 1] [0 2 2]
	// W: [1 1 0 0] [0 0 1 1]
}
