package source

import (
	"errors"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
)

// weightedNorm returns the weighted ||M||_F. The terms of each row of M are added up in the
// order of the columns, and then the sums of the rows in their order, in one process as in
// several. If M is tall, each process adds up its rows and passes on one sum. If M is wide,
// each process continues the sums of all rows from the process before it. done is false if over
// returns true in any process.
func (s Dense[T]) weightedNorm(over func() bool) (norm float64, done bool, err error) {
	sums := make([]float64, s.Rows)
	var failed error
	ended := make([]bool, s.Share.Last-s.Share.First)
	add := func() {
		room := s.Observed.NewRoom(nil, s.together())
		failed = s.eachLines(func(first int, x kernel.Matrix[T]) error {
			if over() {
				ended[0] = true
				return errOver
			}
			weights := s.Observed.Weights(&room, first, first+x.Rows)
			for i := range x.Rows {
				if w := weights.Row(i); s.Tall() {
					sums[first+i] = observed.Squares(x.Row(i), w)
				} else {
					for i, a := range x.Row(i) {
						sums[i] += float64(float64(w[i]) * float64(float64(a)*float64(a)))
					}
				}
			}
			return nil
		})
	}
	var squares float64
	total := func() {
		for _, sum := range sums {
			squares += sum
		}
	}
	if s.Tall() {
		add()
		group.Ring(s.Share, group.Bytes(&squares), total)
	} else {
		group.Ring(s.Share, group.Memory(sums), add)
		total()
	}
	if failed == errOver {
		failed = nil
	}
	if err := group.Agree(s.Share, failed); err != nil {
		return 0, true, err
	}
	return math.Sqrt(squares), !group.Any(s.Share, ended), nil
}

// errOver ends a reading of lines when the run is over.
var errOver = errors.New("the run is over")
