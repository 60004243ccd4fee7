package spectra_test

import (
	"fmt"

	"nmu/lnmu"
	"nmu/lnmu/spectra"
)

// The first basis vector is twice the second spectrum of the library, the second one is
// between both spectra.
func ExampleAngles() {
	v := lnmu.NewDense(2, 2, []float64{
		0, 1,
		2, 1,
	})
	library := lnmu.NewDense(2, 2, []float64{
		1, 0,
		0, 1,
	})
	angles, err := spectra.Angles(v, library)
	if err != nil {
		panic(err)
	}
	for k := range angles.Rows {
		fmt.Printf("part %d: %.3f and %.3f rad\n", k+1, angles.At(k, 0), angles.At(k, 1))
	}
	// Output:
	// part 1: 1.571 and 0.000 rad
	// part 2: 0.785 and 0.785 rad
}
