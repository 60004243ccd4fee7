package tiles

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// moveEntries redistributes the rows of a matrix with width columns. c is rows from[rank] of
// it, in the columns from cols[rank] on. The result is rows to[rank], in all columns.
func moveEntries[T kernel.Float](p group.Comm, c CSR[T], from, to []group.Span, cols []int, width int) CSR[T] {
	type piece struct {
		rows  group.Span
		count []int64 // of entries, of every row
		idx   []int32
		val   []T
	}
	rank := p.Rank()
	pieces := make([]piece, p.Size())
	group.Pairwise(p, func(partner int) {
		out, in := from[rank].Intersect(to[partner]), &pieces[partner]
		in.rows = from[partner].Intersect(to[rank])
		in.count = make([]int64, in.rows.Len())
		counts := make([]int64, out.Len())
		for k := range counts {
			i := out.From - from[rank].From + k
			counts[k] = int64(c.Ptr[i+1] - c.Ptr[i])
		}
		var first, last int
		if len(counts) > 0 {
			first, last = c.Ptr[out.From-from[rank].From], c.Ptr[out.To-from[rank].From]
		}
		if partner == rank {
			in.count, in.idx, in.val = counts, c.Idx[first:last], c.Val[first:last]
			return
		}
		p.Exchange(partner, group.Memory(counts), group.Memory(in.count))
		total := 0
		for _, n := range in.count {
			total += int(n)
		}
		in.idx, in.val = make([]int32, total), make([]T, total)
		p.Exchange(partner, group.Memory(c.Idx[first:last]), group.Memory(in.idx))
		p.Exchange(partner, group.Memory(c.Val[first:last]), group.Memory(in.val))
	})
	d := CSR[T]{Rows: to[rank].Len(), Cols: width, Ptr: make([]int, to[rank].Len()+1)}
	total := 0
	for i := range pieces {
		total += len(pieces[i].idx)
	}
	d.Idx, d.Val = make([]int32, 0, total), make([]T, 0, total)
	for i := range d.Rows {
		for who := range pieces {
			x := &pieces[who]
			if at := to[rank].From + i; at < x.rows.From || at >= x.rows.To {
				continue
			}
			n := x.count[0]
			for _, j := range x.idx[:n] {
				d.Idx = append(d.Idx, j+int32(cols[who]))
			}
			d.Val = append(d.Val, x.val[:n]...)
			x.count, x.idx, x.val = x.count[1:], x.idx[n:], x.val[n:]
		}
		d.Ptr[i+1] = len(d.Val)
	}
	return d
}
