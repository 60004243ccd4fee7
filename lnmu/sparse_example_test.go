package lnmu_test

import (
	"context"
	"fmt"

	"nmu/lnmu"
)

// The matrix of ExampleFactor, of which only the entries that are not zero are
// given: by rows, with their columns.
func ExampleCSR() {
	m := lnmu.CSR[float64]{
		Rows: 4, Cols: 3,
		Ptr: []int{0, 2, 4, 6, 8},
		Idx: []int32{0, 2, 0, 2, 1, 2, 1, 2},
		Val: []float64{1, 1, 1, 1, 2, 2, 2, 2},
	}
	res, err := lnmu.Factor(context.Background(), m, 2, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("relative error %.2f, ended by %s\n", res.RelativeError, res.Stop)
	for i := range m.Rows {
		fmt.Printf("%4.1f\n", res.V.Row(i))
	}
	// Output:
	// relative error 0.00, ended by iterations
	// [ 0.0  1.0]
	// [ 0.0  1.0]
	// [ 0.9  0.0]
	// [ 0.9  0.0]
}
