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
	res, err := lnmu.Factor(context.Background(), m, 2, lnmu.RNMU{}, nil)
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

// A strict underapproximation: no entry of V W is larger than that of M, not
// even by rounding. The first exact steps, for V and for W, start from the same
// factors, and the better one is kept.
func ExampleLagrangian_feasible() {
	m := lnmu.NewDense(4, 4, []float64{
		5, 1, 4, 2,
		4, 2, 4, 1,
		1, 3, 2, 3,
		2, 4, 1, 4,
	})
	method := lnmu.GNMU{Feasible: lnmu.FeasibleFinal, FeasibleSteps: 5}
	res, err := lnmu.Factor(context.Background(), m, 2, method, &lnmu.Settings{Start: lnmu.Start{Seed: 1}})
	if err != nil {
		panic(err)
	}
	for _, s := range res.Blocks[0].Exact[:2] {
		fmt.Printf("%s: error %.3f, violation %.3f -> error %.3f, kept: %t\n", s.Renewed, s.Before, s.Violation, s.After, s.Kept)
	}
	fmt.Printf("error %.3f, violation %v\n", res.RelativeError, res.MaxViolation)
	// Output:
	// V: error 0.173, violation 0.015 -> error 0.176, kept: false
	// W: error 0.173, violation 0.015 -> error 0.176, kept: true
	// error 0.176, violation 0
}

// Weights for an image that was not there when the parts were found.
func ExampleTransform() {
	v := lnmu.NewDense(4, 2, []float64{
		1, 0,
		1, 0,
		0, 2,
		0, 2,
	})
	image := lnmu.NewDense(4, 1, []float64{3, 1, 2, 2})
	for _, feasible := range []bool{false, true} {
		res, err := lnmu.Transform(context.Background(), image, v, lnmu.Dense[float64]{}, &lnmu.TransformSettings{Feasible: feasible})
		if err != nil {
			panic(err)
		}
		fmt.Printf("feasible %t: %.2f, exceeds by %.2f\n", feasible, res.W.Data, res.MaxViolation)
	}
	// Output:
	// feasible false: [2.00 1.00], exceeds by 1.00
	// feasible true: [1.00 1.00], exceeds by 0.00
}

// A rank-one matrix with one wrong entry, which the l1 norm passes over.
func ExampleNorm() {
	m := lnmu.NewDense(4, 4, []float64{
		1, 2, 3, 4,
		2, 4, 90, 8,
		3, 6, 9, 12,
		4, 8, 12, 16,
	})
	for _, norm := range []lnmu.Choice{lnmu.L2, lnmu.L1} {
		res, err := lnmu.Factor(context.Background(), m, 1, lnmu.RNMU{Norm: norm}, nil)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: first entry 1, found as %.2f\n", norm, res.V.At(0, 0)*res.W.At(0, 0))
	}
	// Output:
	// l2: first entry 1, found as 0.07
	// l1: first entry 1, found as 1.00
}
