package biclique_test

import (
	"context"
	"fmt"

	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

// Who likes the same things: people 0, 2, 3 all like things 1, 2 and 4.
func ExampleFind() {
	likes := lnmu.NewDense(4, 5, []float64{
		1, 1, 1, 0, 1,
		1, 0, 0, 1, 0,
		0, 1, 1, 0, 1,
		0, 1, 1, 1, 1,
	})
	g, err := biclique.FromDense(likes)
	if err != nil {
		panic(err)
	}
	res, err := biclique.Find(context.Background(), g, biclique.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("rows %v, columns %v: %d edges\n", res.Rows, res.Cols, res.Edges)
	// Output:
	// rows [0 2 3], columns [1 2 4]: 9 edges
}
