package kerneltest_test

import (
	"fmt"
	"math"
	"strings"

	"nmu/kernel"
	"nmu/kernel/kerneltest"
)

// mine is Dot: 16 lanes of fused multiply-adds, added pairwise.
func mine(x, y []float64) float64 {
	var lanes [16]float64
	for i, a := range x {
		lanes[i%16] = math.FMA(a, y[i], lanes[i%16])
	}
	for i := len(x); i%16 > 0; i++ { // the last group is completed with zeros
		lanes[i%16] += 0
	}
	for half := 8; half > 0; half /= 2 {
		for l := range half {
			lanes[l] += lanes[l+half]
		}
	}
	return lanes[0]
}

// A scalar product of one's own has the bits of kernel.Dot. Its caller checks the lengths.
func ExampleCheck() {
	own := kerneltest.Functions[float64]{Dot: mine, Unchecked: true}
	fmt.Println(kerneltest.Check(own, kerneltest.Short))
	// Output: <nil>
}

// A scalar product that leaves out the last element is reported with all that is needed to repeat the call.
func ExampleCheck_fault() {
	wrong := func(x, y []float64) float64 { n := max(len(x)-1, 0); return mine(x[:n], y[:n]) }
	err := kerneltest.Check(kerneltest.Functions[float64]{Dot: wrong, Unchecked: true}, kerneltest.Full)
	first, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(strings.Replace(first, kernel.Level(), "LEVEL", 1))
	// Output:
	// Dot[float64] level=LEVEL shape=[1] values=signed KERNELTEST_SEED=1 x[1]@end y[1]@end: the result is 0 (0x0000000000000000), want -0.37441192618749425 (0xbfd7f65d708d4a33)
}
