package lnmu_test

import (
	"context"
	"fmt"

	"nmu/lnmu"
)

// Two parts, each of two pixels, in three images: the third shows both.
func ExampleFactor() {
	m := lnmu.NewDense(4, 3, []float64{
		1, 0, 1,
		1, 0, 1,
		0, 2, 2,
		0, 2, 2,
	})
	res, err := lnmu.Factor(context.Background(), m, lnmu.Options[float64]{Method: lnmu.RNMU, Rank: 2})
	if err != nil {
		panic(err)
	}
	fmt.Printf("relative error %.2f, ended by %s\n", res.RelativeError, res.Stop)
	for i := range m.Rows {
		fmt.Printf("%4.1f\n", res.V.Row(i))
	}
	// Output:
	// relative error 0.00, ended by iterations
	// [ 0.0  1.1]
	// [ 0.0  1.1]
	// [ 1.5  0.0]
	// [ 1.5  0.0]
}
