package group

import (
	"slices"
	"testing"

	"nmu/internal/together"
	"nmu/kernel"
)

// cutShort are Scattered numbers of which some are left out.
type cutShort struct {
	Distributed[float64]
	lacks int
}

func (c cutShort) Turn(turn int, do func(row []float64)) {
	left := c.Length() - c.lacks
	c.Distributed.Turn(turn, func(row []float64) {
		row = row[:min(len(row), left)]
		left -= len(row)
		do(row)
	})
}

// TestSend: process 0 gets as many numbers as it waits for, zeros for those that are left out.
func TestSend(t *testing.T) {
	const rows, cols = 3, 2*Piece + 5
	for _, columns := range []bool{false, true} {
		for _, lacks := range []int{0, 1, Piece, cols} {
			together.Run(3, func(p *together.Process) {
				x := kernel.Matrix[float64]{Rows: rows, Cols: cols, Data: make([]float64, rows*cols), Stride: cols}
				for i := range x.Data {
					x.Data[i] = float64(p.Rank() + 1)
				}
				part := cutShort{Distributed[float64]{X: x, Columns: columns}, lacks}
				if p.Rank() > 0 {
					Send[float64](p, part)
					return
				}
				part.lacks = 0
				var got, want []float64
				Gather[float64](p, part, func(numbers []float64) { got = append(got, numbers...) })
				for range part.Turns() {
					for rank := range 3 {
						one := make([]float64, part.Length())
						for i := range one {
							if rank == 0 || i < len(one)-lacks {
								one[i] = float64(rank + 1)
							}
						}
						want = append(want, one...)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("columns %v, without %d: other numbers", columns, lacks)
				}
			})
		}
	}
}
