package compare

import (
	"context"
	"fmt"

	"nmu/lnmu"
)

// Counts with three parts. Runs of counts drawn again agree about them, and disagree about a
// fourth one.
func ExampleStability() {
	m, _, _ := planted(20, 40, 3, 400, 1)
	res, err := Stability(context.Background(), m, []int{2, 3, 4}, lnmu.NMF{}, &Settings{
		Runs: 20, Resample: Poisson, Iterations: 200,
	})
	if err != nil {
		panic(err)
	}
	for _, p := range res.Points {
		fmt.Printf("rank %d: stability %.2f, error %.0f %%\n", p.Rank, p.Stability, 100*p.Error)
	}
	best := res.Points[1]
	fmt.Printf("advice: rank %d\npart 1, row 3: %.3f, from %.3f to %.3f\n", res.Advice.Rank, best.V.At(2, 0), best.VLow.At(2, 0), best.VHigh.At(2, 0))
	// Output:
	// rank 2: stability 0.97, error 20 %
	// rank 3: stability 0.98, error 13 %
	// rank 4: stability 0.63, error 12 %
	// advice: rank 3
	// part 1, row 3: 0.095, from 0.084 to 0.117
}
