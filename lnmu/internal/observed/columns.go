package observed

import (
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Columns are the lines across the lines of a pass. Every process has a part of each. The Gram
// matrix of a column is a sum over the lines of all processes, and its bits depend on the order
// of the terms. So each process works on its share of whole columns. The processes exchange the
// masks and weights once, the long factor before each step, and the renewed columns after it.
//
//	process       0     1     2
//	lines         0 1 | 2 3 | 4 5        have
//	columns       0   | 1   | 2          renew: lines 0 1 2 3 4 5 of column 0, ..
//
// In a group of one nothing is exchanged.
type Columns[T kernel.Float] struct {
	Own group.Span // the columns of this process

	comm           group.Comm
	lines, columns []group.Span // of each process
	all            Cells[T]     // the lines are the own columns; in a group of one, those of the pass
	long           kernel.Matrix[T]
}

// NewColumns returns the columns of a pass over the given number of lines, of which each
// process has its group.Share. cells are those of the lines of this process. All processes call
// it.
func NewColumns[T kernel.Float](a *arena.Arena, c group.Comm, cells Cells[T], lines, columns int) *Columns[T] {
	if c.Size() == 1 {
		return &Columns[T]{Own: group.Span{To: columns}, comm: c, all: cells}
	}
	ofLines, ofColumns := make([]group.Span, c.Size()), make([]group.Span, c.Size())
	for p := range c.Size() {
		ofLines[p].From, ofLines[p].To = group.Share(lines, p, c.Size())
		ofColumns[p] = group.Span{From: columns * p / c.Size(), To: columns * (p + 1) / c.Size()}
	}
	own := ofLines[c.Rank()]
	x := &Columns[T]{Own: ofColumns[c.Rank()], comm: c, lines: ofLines, columns: ofColumns}
	if cells.Masked() {
		x.all.Rows = arena.Bits(a, x.Own.Len(), lines)
		trade(a, c, ofColumns, func(j int) []byte { return bytesOf(cells.Cols, j) }, x.Own, ofLines, 8,
			func(j, first int, bytes []byte) { copy(x.all.Rows.Data[j*x.all.Rows.Stride+first/8:], bytes) })
	}
	if cells.Weighted() {
		all := arena.Matrix[T](a, x.Own.Len(), lines)
		row := arena.Slice[T](a, own.Len())
		trade(a, c, ofColumns, func(j int) []T {
			for i := range row {
				row[i] = cells.by.at(i, j)
			}
			return row
		}, x.Own, ofLines, 1, func(j, first int, weights []T) { copy(all.Row(j)[first:], weights) })
		x.all.by = &weights[T]{copied: all}
	}
	return x
}

// trade exchanges parts of columns. It sends every process what of returns for the columns of
// that process. It calls put with each part of an own column: its number among the own columns,
// the first line of the other process, and the part.
func trade[E any](a *arena.Arena, c group.Comm, columns []group.Span, of func(j int) []E, own group.Span, lines []group.Span, perElement int, put func(j, first int, x []E)) {
	if a.Dry() { // what other processes send and receive
		arena.Slice[E](a, 2*own.Len()*lines[len(lines)-1].To/perElement)
		return
	}
	group.Pairwise(c, func(partner int) {
		var sent []E
		for j := columns[partner].From; j < columns[partner].To; j++ {
			sent = append(sent, of(j)...)
		}
		n := (lines[partner].Len() + perElement - 1) / perElement
		received := make([]E, own.Len()*n)
		if partner == c.Rank() {
			copy(received, sent)
		} else {
			c.Exchange(partner, group.Memory(sent), group.Memory(received))
		}
		for j := range own.Len() {
			put(j, lines[partner].From, received[j*n:(j+1)*n])
		}
	})
}

// Gather collects the long factor in every process. long has the columns that belong to the
// lines of this process.
func (x *Columns[T]) Gather(long kernel.Matrix[T]) {
	if x.comm.Size() == 1 {
		x.long = long
		return
	}
	if x.long.Data == nil {
		x.long = kernel.NewMatrix[T](long.Rows, x.lines[len(x.lines)-1].To)
	}
	own := x.lines[x.comm.Rank()]
	matrix.CopyRows(matrix.View(x.long, own.From, own.To), long)
	group.Complete(x.comm, x.long, x.lines)
}

// Put exchanges the renewed columns of the factor, of which each process has its own.
func (x *Columns[T]) Put(short kernel.Matrix[T]) { group.Complete(x.comm, short, x.columns) }

// Line returns the data for the Gram matrices of the own columns. It is called after Gather,
// with the Gram matrix of the long factor.
func (x *Columns[T]) Line(whole kernel.Matrix[T], inv []T) Line[T] {
	return x.all.Line(x.long, whole, inv, x.comm.Size() == 1)
}
