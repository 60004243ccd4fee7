package block

import (
	"fmt"
	"sync/atomic"
	"testing"

	"nmu/internal/must"
	"nmu/internal/team"
	"nmu/internal/together"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// TestColumns: each column comes to one process, whole, from memory and from files, whatever
// the panels.
func TestColumns(t *testing.T) {
	defer func(old int) { ChunkBytes = old }(ChunkBytes)
	for _, shape := range [][2]int{{1, 1}, {9, 7}, {500, 3}, {900, 40}} {
		rows, cols := shape[0], shape[1]
		data := make([]float64, rows*cols)
		for i := range data {
			data[i] = float64(i)
		}
		for _, bytes := range []int{1, 400, 1 << 20} {
			ChunkBytes = bytes
			for size := range 5 {
				name := fmt.Sprintf("%v, chunks of %d bytes, %d processes", shape, bytes, size)
				seen := make([]atomic.Int32, cols)
				var calls [5]int
				look := func(c *Columns[float64], t0 *team.Team, rank int) {
					c.Each(func(first, last int) bool {
						calls[rank]++
						t0.Run(last-first, func(member, task int) {
							j := first + task
							seen[j].Add(1)
							for i, x := range c.Column(member, j) {
								must.Equal(t, x, float64(i*cols+j), name, "entry", i, "of column", j)
							}
						})
						return true
					})
					x := kernel.NewMatrix[float64](1, cols)
					for j := c.shares[rank].From; j < c.shares[rank].To; j++ {
						x.Data[j] = float64(j + 1)
					}
					c.Complete(x)
					for j, x := range x.Row(0) {
						must.Equal(t, x, float64(j+1), name, "column", j, "of process", rank, "is not complete")
					}
				}
				together.Run(max(size, 1), func(p *together.Process) {
					tm := team.New(2)
					defer tm.Close()
					var spans []group.Span
					for rank := range p.Size() {
						first, last := group.Share(rows, rank, p.Size())
						spans = append(spans, group.Span{From: first, To: last})
					}
					own := spans[p.Rank()]
					part := data[own.From*cols : own.To*cols]
					var x Lines[float64]
					if size == 0 { // one process, with files
						f := NewFiles(lines{width: cols, data: part}, rows, rows, cols)
						f.Cancelled = func() bool { return false }
						f.Start(tm.Size())
						defer f.Close()
						x = f
					} else {
						m := kernel.Matrix[float64]{Rows: own.Len(), Cols: cols, Data: part, Stride: cols}
						x = &Memory[float64]{M: &m, N: &m}
					}
					look(NewColumns(nil, x, tm, group.ForRows(p, rows), spans, cols, 16, OfN), tm, p.Rank())
				})
				for j := range seen {
					must.Equal(t, seen[j].Load(), 1, name, "column", j, "has come")
				}
				for rank := range max(size, 1) {
					must.Equal(t, calls[rank], calls[0], name, "process", rank)
				}
			}
		}
	}
}
