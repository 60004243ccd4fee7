package model_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nmu/lnmu"
	"nmu/lnmu/model"
)

// Parts are found in four columns, kept in a file, and used for a fifth one.
func Example() {
	m := lnmu.NewDense(3, 4, []float64{
		1, 0, 2, 1,
		1, 0, 2, 1,
		0, 3, 0, 3,
	})
	res, err := lnmu.Factor(context.Background(), m, 2, lnmu.NMF{}, nil)
	if err != nil {
		panic(err)
	}
	parts, err := model.Of(res, lnmu.NMF{}, []string{"red", "green", "blue"})
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "parts.npz")
	if err := parts.Save(path); err != nil {
		panic(err)
	}

	kept, err := model.Read[float64](path)
	if err != nil {
		panic(err)
	}
	next := lnmu.NewDense(3, 1, []float64{5, 5, 6})
	weights, err := kept.Transform(context.Background(), next, []string{"red", "green", "blue"}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: error %.1f %%\n", kept.Method.Name(), 100*weights.RelativeError)
	// Output: nmf: error 0.0 %
}
