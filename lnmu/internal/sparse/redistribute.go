package sparse

import (
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// moveEntries returns rows to[rank] of a matrix with so many columns, of which process p has
// rows from[p], in columns from cols[p] on: c.
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

// Input is a sparse M as it was given, or, of several processes, what each of them
// has of it once it is handed out: rows of M, which are what one process adds up by, and
// the columns that it works on, if M is kept by these.
type Input[T kernel.Float] struct {
	m       CSR[T]
	entries int // of all of M
	tiles   *tiling[T]
	stored  Reader[T] // M, if it is not in memory, where m is only its shape

	comm       group.Comm
	rows, cols int // of M
	ofRows     *share
	ofCols     *share // nil unless several processes keep M by columns
	columns    CSR[T] // as rows
}

// Redistribute hands out M, a rows x cols matrix, of which each process has the part c, for
// a method. By columns it is only kept if it is wide, and not always then.
func Redistribute[T kernel.Float](p group.Comm, rows, cols int, part core.Part, c CSR[T], plan core.Plan, missing bool) Input[T] {
	byRows := ByRows(plan, missing)
	x := Input[T]{comm: p, rows: rows, cols: cols}
	entries := int64(0)
	group.Ring(p, group.Bytes(&entries), func() { entries += int64(len(c.Val)) })
	x.entries = int(entries)

	parts, all, first := make([]group.Span, p.Size()), make([]group.Span, p.Size()), make([]int, p.Size())
	for rank := range parts {
		from, to := group.Share(max(x.rows, x.cols), rank, p.Size())
		parts[rank], all[rank] = group.Span{From: from, To: to}, group.Span{To: x.rows}
	}
	none := make([]int, p.Size())
	if !part.Columns {
		x.ofRows = newShare(p, boundsOf(p, extentOfM{x.rows, x.entries}, c.Ptr, part.First))
		x.m = moveEntries(p, c, parts, x.ofRows.all(), none, x.cols)
		return x
	}
	counts := make([]int, x.rows+1) // pointers in the end
	group.Ring(p, group.Memory(counts), func() {
		for i := range x.rows {
			counts[i+1] += c.Ptr[i+1] - c.Ptr[i]
		}
	})
	for i := range x.rows {
		counts[i+1] += counts[i]
	}
	for rank, s := range parts {
		first[rank] = s.From
	}
	x.ofRows = newShare(p, slabsOf(counts))
	x.m = moveEntries(p, c, all, x.ofRows.all(), first, x.cols)
	if !byRows {
		turned := c.Transposed()
		x.ofCols = newShare(p, boundsOf(p, extentOfM{x.cols, x.entries}, turned.Ptr, part.First))
		x.columns = moveEntries(p, turned, parts, x.ofCols.all(), none, x.rows)
	}
	return x
}

// boundsOf returns the bounds of the slabs of rows, of which each process has those of
// ptr, from first on.
func boundsOf(p group.Comm, x extentOfM, ptr []int, first int) []int {
	state := make([]int, 2+x.slabs()+1) // entries so far, bounds so far, and these
	group.Ring(p, group.Memory(state), func() {
		if p.Rank() == 0 {
			state[1] = 1
		}
		bounds := state[2:]
		bounds = x.cut(bounds[:state[1]], ptr, first, state[0])
		state[0], state[1] = state[0]+ptr[len(ptr)-1], len(bounds)
	})
	return state[2:][:state[1]]
}

// all returns the rows of all processes.
func (h *share) all() []group.Span {
	all := make([]group.Span, h.slabs.Size())
	for rank := range all {
		all[rank] = h.rows(rank)
	}
	return all
}

// InMemory returns a valid matrix as one process has it.
func InMemory[T kernel.Float](m CSR[T]) Input[T] { return undivided(m, len(m.Val), slabsOf(m.Ptr)) }

// undivided is what one process has: the whole of M, whose rows are in these slabs.
func undivided[T kernel.Float](m CSR[T], entries int, slabs []int) Input[T] {
	return Input[T]{
		m: m, entries: entries, comm: group.Self{}, rows: m.Rows, cols: m.Cols,
		ofRows: newShare(group.Self{}, slabs),
	}
}

// Norm returns ||M||_F and the largest entry of M, or an error if its squares leave the range
// of T.
func (x *Input[T]) Norm() (norm, largest float64, err error) {
	return frobenius("M", x.m, x.comm)
}

// Tile makes the tiles for a method.
func (x *Input[T]) Tile(p core.Plan, missing bool) {
	oneWalk, rank := ByRows(p, missing), p.Block
	switch {
	case x.comm.Size() == 1 && oneWalk:
		x.tiles = newTiledByRows(x.m)
		return
	case x.comm.Size() == 1:
		x.tiles = newTiled(x.m, rank)
		return
	}
	t := &tiling[T]{byRows: oneWalk, wide: x.ofCols != nil, cols: x.cols, shared: x.ofRows, whole: extentOfM{x.rows, x.entries}}
	c, blocks, each := x.m, 1, groupNumbers
	if t.wide {
		t.cols, t.shared, t.whole.rows, c = x.rows, x.ofCols, x.cols, x.columns
	}
	if !oneWalk {
		blocks, each = t.blocksFor(rank), groupEntries
	}
	t.rows = c.Rows
	before := 0
	group.Ring(x.comm, group.Bytes(&before), func() {
		t.shared.before = before
		before += len(c.Val)
	})
	t.cut(c, blocks, each)
	x.tiles = t
}

// among returns the share of the slabs of rows.
func (x Input[T]) among() *group.Reducer { return x.ofRows.slabs }

// share returns the shape of the factors that this process works on, their rows of V and
// columns of W, all of them where it needs all, and which part that is.
func (x Input[T]) share() (rows, cols int, part core.Part) {
	h, columns := x.ofRows, x.ofCols != nil
	whole := x.rows
	if columns {
		h, whole = x.ofCols, x.cols
	}
	own := h.rows(x.comm.Rank())
	part = core.Part{First: own.From, Whole: whole, Columns: columns}
	if columns {
		return x.rows, own.Len(), part
	}
	return own.Len(), x.cols, part
}

// everyone returns the same span for all processes.
func (x Input[T]) everyone(length int) []group.Span {
	return slices.Repeat([]group.Span{{To: length}}, x.comm.Size())
}

// shares returns what Share says of all processes.
func (x Input[T]) shares() []group.Span {
	all := x.everyone(0)
	for rank := range all {
		all[rank].From, all[rank].To = group.Share(max(x.rows, x.cols), rank, len(all))
	}
	return all
}

// fromParts returns what this process works on of factors V and W, of which each has
// what Share says.
func (x Input[T]) fromParts(v, w kernel.Matrix[T]) (kernel.Matrix[T], kernel.Matrix[T]) {
	if v.Cols == 0 {
		return v, w // none are given
	}
	rank := x.comm.Rank()
	switch {
	case x.cols <= x.rows:
		return group.MoveRows(x.comm, matrix.Clone(v), x.shares(), x.ofRows.all()), w
	case x.ofCols != nil:
		return v, matrix.Transposed(group.MoveRows(x.comm, matrix.Transposed(w), x.shares(), x.ofCols.all()))
	}
	own := x.ofRows.rows(rank)
	return v.Slice(own.From, own.To, 0, v.Cols), matrix.Transposed(group.MoveRows(x.comm, matrix.Transposed(w), x.shares(), x.everyone(x.cols)))
}

// toParts is the inverse of fromParts.
func (x Input[T]) toParts(v, w kernel.Matrix[T]) (kernel.Matrix[T], kernel.Matrix[T]) {
	switch {
	case x.cols <= x.rows:
		return group.MoveRows(x.comm, v, x.ofRows.all(), x.shares()), w
	case x.ofCols != nil:
		return v, matrix.Transposed(group.MoveRows(x.comm, matrix.Transposed(w), x.ofCols.all(), x.shares()))
	}
	own := x.shares()[x.comm.Rank()]
	return group.MoveRows(x.comm, v, x.ofRows.all(), x.everyone(x.rows)), matrix.Clone(w.Slice(0, w.Rows, own.From, own.To))
}

// forRows returns the rows of V that belong to those of m, and all of W.
func (x Input[T]) forRows(v, w kernel.Matrix[T]) (kernel.Matrix[T], kernel.Matrix[T]) {
	if x.ofCols == nil {
		return v, w
	}
	own := x.ofRows.rows(x.comm.Rank())
	return v.Slice(own.From, own.To, 0, v.Cols), matrix.Transposed(group.MoveRows(x.comm, matrix.Transposed(w), x.ofCols.all(), x.everyone(x.cols)))
}
