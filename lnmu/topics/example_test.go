package topics_test

import (
	"fmt"

	"nmu/lnmu"
	"nmu/lnmu/topics"
)

// Two topics of three words, in one document of 20 words.
func ExampleScale() {
	v := lnmu.NewDense(3, 2, []float64{
		1, 0,
		3, 2,
		0, 2,
	})
	w := lnmu.NewDense(2, 1, []float64{
		4,
		1,
	})
	if err := topics.Scale(v, w); err != nil {
		panic(err)
	}
	fmt.Println("the first topic:", v.At(0, 0), v.At(1, 0), v.At(2, 0))
	fmt.Println("words of each topic:", w.At(0, 0), w.At(1, 0))
	mixtures := topics.Mixtures(w)
	fmt.Println("their parts:", mixtures.At(0, 0), mixtures.At(1, 0))
	// Output:
	// the first topic: 0.25 0.75 0
	// words of each topic: 16 4
	// their parts: 0.8 0.2
}
