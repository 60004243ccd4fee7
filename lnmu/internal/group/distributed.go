package group

import (
	"slices"

	"nmu/kernel"
)

// Piece is the number of elements of a Distributed matrix in one message.
const Piece = 8 << 10

// Distributed is a matrix whose rows, or columns, are held by the processes of a group: X is
// the part of this process. No process has the whole matrix in memory.
type Distributed[T kernel.Float] struct {
	X            kernel.Matrix[T]
	Columns      bool // X has columns of the matrix
	First, Whole int  // the first of them, and the number in all processes
}

// Scattered is a sequence of numbers, of which each process of a group has a part.
type Scattered[T kernel.Float] interface {
	// Turns returns how often the processes take turns. Span returns the index of the first number of this process in
	// each turn, the count of its numbers, and the count in all processes.
	Turns() int
	Span() (first, count, whole int)

	// Read calls do for the numbers of this process in a turn, in order. Write calls do for memory that
	// do fills with them. An error of a disk, which Err returns, may leave some out.
	Read(turn int, do func(numbers []T))
	Write(turn int, do func(numbers []T))
	Err() error
}

// Turns returns how often the processes take turns: once with all of their rows, or once per
// row with their columns of it.
func (d Distributed[T]) Turns() int {
	if d.Columns {
		return d.X.Rows
	}
	return 1
}

// Span implements Scattered.
func (d Distributed[T]) Span() (first, count, whole int) {
	if d.Columns {
		return d.First, d.X.Cols, d.Whole
	}
	return d.First * d.X.Cols, d.X.Rows * d.X.Cols, d.Whole * d.X.Cols
}

// Err returns nil: no disk is read.
func (d Distributed[T]) Err() error { return nil }

// Write is Read, as the numbers are in memory.
func (d Distributed[T]) Write(turn int, do func(row []T)) { d.Read(turn, do) }

// Read calls do for the elements of this process in a turn, at most a Piece at a time.
func (d Distributed[T]) Read(turn int, do func(row []T)) {
	rows := d.X.Rows
	if d.Columns {
		rows = 1
	}
	for i := range rows {
		for row := d.X.Row(turn + i); len(row) > 0; {
			n := min(len(row), Piece)
			do(row[:n])
			row = row[n:]
		}
	}
}

// Send sends a part to process 0, which calls Gather. Numbers that the part leaves out are
// sent as zeros, as process 0 waits for all of them.
func Send[T kernel.Float](c Comm, x Scattered[T]) {
	buf, left := make([]T, 0, Piece), 0
	add := func(numbers []T) {
		for len(numbers) > 0 && left > 0 {
			n := min(len(numbers), min(Piece, left)-len(buf))
			buf, numbers = append(buf, numbers[:n]...), numbers[n:]
			if len(buf) == min(Piece, left) {
				c.Exchange(0, Memory(buf), nil)
				left -= len(buf)
				buf = buf[:0]
			}
		}
	}
	for turn := range x.Turns() {
		_, left, _ = x.Span()
		c.Exchange(0, Bytes(&left), nil)
		x.Read(turn, add)
		for left > 0 {
			add(make([]T, min(Piece, left)-len(buf)))
		}
	}
}

// Gather calls do, in process 0, for the numbers of all processes in order. The other
// processes call Send.
func Gather[T kernel.Float](c Comm, x Scattered[T], do func(numbers []T)) {
	buf := make([]T, Piece)
	for turn := range x.Turns() {
		x.Read(turn, do)
		for other := 1; other < c.Size(); other++ {
			left := 0
			for c.Exchange(other, nil, Bytes(&left)); left > 0; left -= min(left, Piece) {
				numbers := buf[:min(left, Piece)]
				c.Exchange(other, nil, Memory(numbers))
				do(numbers)
			}
		}
	}
}

// MoveRows redistributes the rows of a matrix: process p has rows have[p] in x, without gaps,
// and gets rows want[p]. All processes call it together.
func MoveRows[T kernel.Float](c Comm, x kernel.Matrix[T], have, want []Span) kernel.Matrix[T] {
	rank, r := c.Rank(), x.Cols
	d := kernel.Matrix[T]{Rows: want[rank].Len(), Cols: r, Data: make([]T, want[rank].Len()*r), Stride: r}
	Pairwise(c, func(partner int) {
		out, in := have[rank].Intersect(want[partner]), have[partner].Intersect(want[rank])
		var sent, received []T
		if out.Len() > 0 {
			sent = x.Data[(out.From-have[rank].From)*r:][:out.Len()*r]
		}
		if in.Len() > 0 {
			received = d.Data[(in.From-want[rank].From)*r:][:in.Len()*r]
		}
		if partner == rank {
			copy(received, sent)
			return
		}
		c.Exchange(partner, Memory(sent), Memory(received))
	})
	return d
}

// Complete fetches the columns of x that other processes have: process p has columns
// spans[p]. All processes call it together.
func Complete[T kernel.Float](c Comm, x kernel.Matrix[T], spans []Span) {
	if c.Size() == 1 {
		return
	}
	own := spans[c.Rank()]
	Pairwise(c, func(partner int) {
		theirs := spans[partner]
		if partner == c.Rank() || own.Len()+theirs.Len() == 0 {
			return
		}
		for k := range x.Rows {
			row := x.Row(k)
			c.Exchange(partner, Memory(row[own.From:own.To]), Memory(row[theirs.From:theirs.To]))
		}
	})
}

// Max sets each element of x to the largest one that a process has in its place. All
// processes call it together.
func Max[T kernel.Float](c Comm, x []T) {
	own := slices.Clone(x)
	Ring(c, Memory(x), func() {
		for i, y := range own {
			x[i] = max(x[i], y)
		}
	})
}
