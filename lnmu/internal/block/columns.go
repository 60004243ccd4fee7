package block

import (
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Columns gives the members of a team whole columns of M or of N, across all lines. In
// memory, in one process, a member copies the columns as it comes to them. Otherwise each
// process has its share of the columns and holds a panel of them at a time: in a pass, the
// processes copy the parts of all panels that are in their lines, and then exchange them.
//
//	lines of process 0   . 0 0 . . 1 1 .
//	lines of process 1   . 0 0 . . 1 1 .      panels of processes 0 and 1
type Columns[T kernel.Float] struct {
	lines  Lines[T]
	team   core.Team
	share  *group.Reducer
	spans  []group.Span // the lines of each process
	block  int          // lines that a pass works on at once
	which  int          // OfM or OfN
	cols   int
	shares []group.Span // the columns of each process

	width int              // columns of a panel
	panel kernel.Matrix[T] // its columns, as rows
	out   kernel.Matrix[T] // the parts of the other processes' panels in the lines of this one
	round int              // number of the panels
	fill  func(member, slab int)

	copies []copied[T] // of columns in memory, one per member
}

// copied are columns that a member has copied from memory, as rows.
type copied[T kernel.Float] struct {
	first int // the first column; none: -1
	x     kernel.Matrix[T]
}

// NewColumns returns the columns of M or of N (which), whose lines have cols entries. Process p
// has the lines of spans[p]. A pass works on block lines at once.
func NewColumns[T kernel.Float](a *arena.Arena, lines Lines[T], t core.Team, share *group.Reducer, spans []group.Span, cols, block, which int) *Columns[T] {
	c := &Columns[T]{lines: lines, team: t, share: share, spans: spans, cols: cols, block: block, which: which}
	size := share.Size()
	for rank := range size {
		c.shares = append(c.shares, group.Span{From: cols * rank / size, To: cols * (rank + 1) / size})
	}
	if _, ok := lines.(*Memory[T]); ok && size == 1 {
		for range t.Size() {
			c.copies = append(c.copies, copied[T]{x: arena.Matrix[T](a, Together, c.whole())})
		}
		return c
	}
	c.width = PanelWidth[T](c.whole(), cols, size)
	c.panel = arena.Matrix[T](a, c.width, c.whole())
	if size > 1 {
		c.out = arena.Matrix[T](a, c.width*size, spans[share.Rank()].Len())
	}
	c.fill = c.fillSlab
	return c
}

// PanelWidth returns the number of columns of the panel of each process.
func PanelWidth[T kernel.Float](lines, cols, processes int) int {
	bytes := lines * int(unsafe.Sizeof(T(0)))
	if processes > 1 { // a process sends as much as it receives
		bytes *= 2
	}
	return max(1, min(panelChunks*ChunkBytes/bytes, (cols+processes-1)/processes))
}

// whole returns the number of lines of all processes.
func (c *Columns[T]) whole() int { return c.spans[len(c.spans)-1].To }

// Each calls do for ranges of columns, which Column can return during the call, until do
// returns false or all columns of this process have come. All processes call Each together.
// They call do equally often, perhaps for no columns, and must get the same answers.
func (c *Columns[T]) Each(do func(first, last int) bool) bool {
	if c.copies != nil {
		for member := range c.copies {
			c.copies[member].first = -1
		}
		return do(0, c.cols)
	}
	size := c.share.Size()
	for c.round = 0; c.round*c.width < (c.cols+size-1)/size; c.round++ {
		c.pass()
		c.exchange()
		if at := c.at(c.share.Rank()); !do(at.From, at.To) {
			return false
		}
	}
	return true
}

// Column returns column j. The slice is valid until the next call of the same member.
func (c *Columns[T]) Column(member, j int) []T {
	if c.copies == nil {
		return c.panel.Row(j - c.at(c.share.Rank()).From)
	}
	to := &c.copies[member]
	if first := j / Together * Together; to.first != first {
		to.first = first
		last := min(first+Together, c.cols)
		x := c.lines.Rows(member, 0, c.whole(), c.which)
		to.x.Slice(0, last-first, 0, x.Rows).SetTransposed(x.Slice(0, x.Rows, first, last))
	}
	return to.x.Row(j - to.first)
}

// Complete fetches the columns of x that other processes have.
func (c *Columns[T]) Complete(x kernel.Matrix[T]) { group.Complete(c.share, x, c.shares) }

// CompleteSums is Complete for sums over the columns.
func (c *Columns[T]) CompleteSums(x kernel.Matrix[float64]) { group.Complete(c.share, x, c.shares) }

// at returns the columns of the current panel of a process.
func (c *Columns[T]) at(rank int) group.Span {
	from := c.shares[rank].From + c.round*c.width
	return c.shares[rank].Intersect(group.Span{From: from, To: from + c.width})
}

// part returns the part of the current panel of a process that is in the lines of this process,
// as rows.
func (c *Columns[T]) part(rank int) kernel.Matrix[T] {
	own, columns := c.spans[c.share.Rank()], c.at(rank).Len()
	if rank == c.share.Rank() {
		return c.panel.Slice(0, columns, own.From, own.To)
	}
	return c.out.Slice(rank*c.width, rank*c.width+columns, 0, own.Len())
}

// pass copies the parts of the current panels of all processes.
func (c *Columns[T]) pass() {
	use := [2]Access{}
	use[c.which] = Reads
	c.lines.Begin(c.block, use[OfM], use[OfN], true)
	c.team.Run(c.share.Last-c.share.First, c.fill)
	c.lines.End()
	c.lines.Agree()
}

// fillSlab copies the parts that are in the lines of a slab.
func (c *Columns[T]) fillSlab(member, slab int) {
	size, _ := group.Slabs(c.whole())
	last := min((slab+1)*size, c.spans[c.share.Rank()].Len())
	for i0 := slab * size; i0 < last && !c.lines.Aborted(); i0 += c.block {
		i1 := min(i0+c.block, last)
		x := c.lines.Rows(member, i0, i1, c.which)
		for rank := range c.shares {
			if at := c.at(rank); at.Len() > 0 {
				c.part(rank).Slice(0, at.Len(), i0, i1).SetTransposed(x.Slice(0, x.Rows, at.From, at.To))
			}
		}
	}
}

// exchange sends the parts of the other processes' panels, and receives those of its own panel.
func (c *Columns[T]) exchange() {
	group.Pairwise(c.share, func(partner int) {
		if partner == c.share.Rank() {
			return
		}
		theirs, lines, columns := c.part(partner), c.spans[partner], c.at(c.share.Rank()).Len()
		for j := range max(theirs.Rows, columns) {
			var send, receive []T
			if j < theirs.Rows {
				send = theirs.Row(j)
			}
			if j < columns {
				receive = c.panel.Row(j)[lines.From:lines.To]
			}
			c.share.Exchange(partner, group.Memory(send), group.Memory(receive))
		}
	})
}
