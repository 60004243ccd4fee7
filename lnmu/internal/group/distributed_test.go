package group

import (
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/internal/together"
	"nmu/kernel"
)

// cutShort are Scattered numbers of which some are left out.
type cutShort struct {
	Distributed[float64]
	lacks int
}

func (c cutShort) Read(turn int, do func(row []float64)) {
	_, left, _ := c.Span()
	left -= c.lacks
	c.Distributed.Read(turn, func(row []float64) {
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
						_, n, _ := part.Span()
						one := make([]float64, n)
						for i := range one {
							if rank == 0 || i < len(one)-lacks {
								one[i] = float64(rank + 1)
							}
						}
						want = append(want, one...)
					}
				}
				must.EqualSlices(t, got, want, "columns", columns, "without", lacks, "other numbers")
			})
		}
	}
}

// TestComplete: all processes have all columns in the end, and the largest elements, however
// many columns each had.
func TestComplete(t *testing.T) {
	const rows = 3
	for _, cuts := range [][]int{{0, 5}, {0, 2, 5}, {0, 0, 4, 4, 9}, {0, 0, 0, 0, 7}, {0, 1, 1, 2, 2, 3}, {0, 0, 0}} {
		size, cols := len(cuts)-1, cuts[len(cuts)-1]
		spans := make([]Span, size)
		for p := range spans {
			spans[p] = Span{cuts[p], cuts[p+1]}
		}
		together.Run(size, func(p *together.Process) {
			x := kernel.NewMatrix[float32](rows, cols)
			for k := range rows {
				for j := spans[p.Rank()].From; j < spans[p.Rank()].To; j++ {
					x.Row(k)[j] = float32(100*k + j)
				}
			}
			Complete(p, x, spans)
			for k := range rows {
				for j, got := range x.Row(k) {
					must.Equal(t, got, float32(100*k+j), "cuts", cuts, "process", p.Rank(), "entry", k, j)
				}
			}
			most := []float64{float64(-p.Rank()), float64(p.Rank()), float64((p.Rank() + 1) % size)}
			if Max(p, most); !slices.Equal(most, []float64{0, float64(size - 1), float64(size - 1)}) {
				t.Errorf("%d processes: the largest are %v", size, most)
			}
		})
	}
}

// TestOneForEach: ForSlabs gives each process one of as many slabs.
func TestOneForEach(t *testing.T) {
	for size := 1; size < 20; size++ {
		together.Run(size, func(p *together.Process) {
			r := ForSlabs(p, size)
			if r.First != p.Rank() || r.Last != p.Rank()+1 {
				t.Errorf("process %d of %d has slabs %d to %d", p.Rank(), size, r.First, r.Last)
			}
			must.Equal(t, Sum(r, []int{p.Rank() + 1}, func(a, b int) int { return a + b }), size*(size+1)/2, "process", p.Rank(), "of", size, "the sum")
		})
	}
}
