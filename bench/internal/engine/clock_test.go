package engine

import (
	"errors"
	"testing"

	"nmu/bench/internal/machine"
)

func TestClock(t *testing.T) {
	var keep []byte
	var c *Clock
	var got Timing
	var err error
	for range 5 { // the runtime itself may allocate meanwhile, but not each time
		c = &Clock{Iterations: 5, Allocations: true, Single: make([]float64, 0, 3)}
		got, err = c.Time(t.Context(), func(iterated func(int)) (float64, error) {
			for range 2 { // factors
				for k := 1; k <= 5; k++ {
					for range 2 + 100*max(1/k, k/5) { // more in the first and in the last
						keep = make([]byte, 100)
					}
					iterated(k)
				}
			}
			return 0.25, nil
		})
		if got.Allocations == 2 {
			break
		}
	}
	if err != nil || c.count != 6 || got.Allocations != 2 || got.RelativeError != 0.25 || len(c.Single) != 3 {
		t.Errorf("%+v, %v; counted %d iterations, %d of them on their own", got, err, c.count, len(c.Single))
	}
	if !(got.Iteration > 0 && got.Whole >= 6*got.Iteration) {
		t.Errorf("%g s of an iteration, %g s in all", got.Iteration, got.Whole)
	}
	_ = keep
	_, err = (&Clock{Iterations: 2}).Time(t.Context(), func(iterated func(int)) (float64, error) {
		iterated(1)
		iterated(2)
		return 0, nil
	})
	if !errors.Is(err, machine.ErrUnmeasured) {
		t.Errorf("two iterations: %v, want machine.ErrUnmeasured", err)
	}
}
