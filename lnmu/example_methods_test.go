package lnmu_test

import (
	"context"
	"fmt"
	"math"

	"nmu/internal/dataset"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// NMF of the swimmer images with the sparsities s(V) = 0.9 and s(W) = 0.6 as
// targets: the penalties are adapted until they are met as nearly as can be.
func ExampleFactor_snmf() {
	set := dataset.Swimmer()
	m := lnmu.NewDense(set.Rows, set.Cols, set.Data)
	res, err := lnmu.Factor(context.Background(), m, 8,
		lnmu.SNMF{SparsityV: 0.9, SparsityW: 0.6}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 200}, Start: lnmu.Start{Restarts: 1}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("s(V) = %.1f, s(W) = %.1f\n", factors.RowSparsity(res.V.Transposed()).Zeros, factors.RowSparsity(res.W).Zeros)
	// Output:
	// s(V) = 0.9, s(W) = 0.6
}

// NMF of the swimmer images whose basis images have Hoyer's sparseness 0.8.
func ExampleFactor_hoyer() {
	set := dataset.Swimmer()
	m := lnmu.NewDense(set.Rows, set.Cols, set.Data)
	res, err := lnmu.Factor(context.Background(), m, 8,
		lnmu.Hoyer{HoyerV: 0.8}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 100}, Start: lnmu.Start{Restarts: 1}})
	if err != nil {
		panic(err)
	}
	for k := range 3 {
		var sum, squares float64
		for i := range m.Rows {
			x := res.V.At(i, k)
			sum += x
			squares += x * x
		}
		root := math.Sqrt(float64(m.Rows))
		fmt.Printf("sh = %.3f\n", (root-sum/math.Sqrt(squares))/(root-1))
	}
	// Output:
	// sh = 0.800
	// sh = 0.800
	// sh = 0.800
}

// How much of the error of an underapproximation is the price of the bound, and
// how much that of its zeros.
func ExampleImprove() {
	set := dataset.Swimmer()
	m := lnmu.NewDense(set.Rows, set.Cols, set.Data)
	res, err := lnmu.Factor(context.Background(), m, 8, lnmu.GNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}})
	if err != nil {
		panic(err)
	}
	measures, err := lnmu.Measure(m, res.V, res.W, nil)
	if err != nil {
		panic(err)
	}
	improved, err := res.Improve(context.Background(), m, lnmu.NMF{}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("plain %.1f %%, times %.2f %.1f %%, with the same zeros %.1f %%\n",
		100*res.RelativeError, measures.Scale, 100*measures.ScaledError, 100*improved.RelativeError)
	// Output:
	// plain 48.0 %, times 1.00 48.0 %, with the same zeros 46.1 %
}
