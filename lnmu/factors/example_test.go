package factors_test

import (
	"fmt"

	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// Two of three entries of the first row are zero, and one of the second counts as zero.
func ExampleRowSparsity() {
	w := lnmu.NewDense(2, 3, []float64{0, 0, 5, 1, 4, 0.0001})
	s := factors.RowSparsity(w)
	fmt.Printf("%.2f %.2f %s\n", s.Zeros, s.Hoyer, factors.SHA256(w)[:8])
	// Output: 0.50 0.85 dc1b20a1
}
