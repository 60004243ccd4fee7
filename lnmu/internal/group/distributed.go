package group

import "nmu/kernel"

// Piece is the number of elements of a Distributed matrix that are sent at once.
const Piece = 8 << 10

// Distributed is a matrix whose rows, or columns, are held by the processes of a group:
// X is the part of this process. It is nowhere in memory as a whole.
type Distributed[T kernel.Float] struct {
	X            kernel.Matrix[T]
	Columns      bool // X has columns of the matrix
	First, Whole int  // the first of them, and the number in all processes
}

// Turns returns how often the processes come in turn: once with all of their rows, or
// with their columns of one row after the other.
func (d Distributed[T]) Turns() int {
	if d.Columns {
		return d.X.Rows
	}
	return 1
}

// Turn calls do for what this process has in a turn, at most a Piece at a time.
func (d Distributed[T]) Turn(turn int, do func(row []T)) {
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

// Across returns the number of elements of a row, or of a column.
func (d Distributed[T]) Across() int {
	if d.Columns {
		return d.X.Rows
	}
	return d.X.Cols
}

// Own returns the number of rows, or of columns, of this process.
func (d Distributed[T]) Own() int {
	if d.Columns {
		return d.X.Cols
	}
	return d.X.Rows
}

// Send sends the part to process 0, which calls Gather.
func (d Distributed[T]) Send(c Comm) {
	buf := make([]T, 0, Piece)
	flush := func() {
		c.Exchange(0, Memory(buf), nil)
		buf = buf[:0]
	}
	for turn := range d.Turns() {
		left := 0
		d.Turn(turn, func(row []T) { left += len(row) })
		c.Exchange(0, Bytes(&left), nil)
		d.Turn(turn, func(row []T) {
			for len(row) > 0 {
				n := min(len(row), Piece-len(buf))
				buf, row = append(buf, row[:n]...), row[n:]
				if len(buf) == Piece {
					flush()
				}
			}
		})
		if len(buf) > 0 {
			flush()
		}
	}
}

// Gather calls do, in process 0, for the elements of the whole matrix in order, at most
// a Piece at a time. The other processes call Send.
func (d Distributed[T]) Gather(c Comm, do func(numbers []T)) {
	buf := make([]T, Piece)
	for turn := range d.Turns() {
		d.Turn(turn, do)
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

// MoveRows returns rows want[rank] of a matrix, of which process p has rows have[p]: x,
// without gaps.
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

// Spread lets all processes of a group have a matrix of which each has some columns.
type Spread[T kernel.Float] struct {
	comm    Comm
	spans   []Span // the columns of each process
	x       kernel.Matrix[T]
	out, in []T
	trade   func(partner int) // made once: a closure per exchange would allocate
}

// NewSpread returns the exchange of a matrix of so many rows, of which process p has the
// columns spans[p].
func NewSpread[T kernel.Float](c Comm, rows int, spans []Span) *Spread[T] {
	s := &Spread[T]{comm: c, spans: spans}
	most := 0
	for _, span := range spans {
		most = max(most, span.Len())
	}
	s.out, s.in = make([]T, rows*spans[c.Rank()].Len()), make([]T, rows*most)
	s.trade = s.with
	return s
}

// Do sets the columns of x that other processes have.
func (s *Spread[T]) Do(x kernel.Matrix[T]) {
	s.x = x
	own := s.spans[s.comm.Rank()]
	for k := range x.Rows {
		copy(s.out[k*own.Len():], x.Row(k)[own.From:own.To])
	}
	Pairwise(s.comm, s.trade)
}

// with exchanges columns with a partner.
func (s *Spread[T]) with(partner int) {
	if partner == s.comm.Rank() {
		return
	}
	span := s.spans[partner]
	in := s.in[:s.x.Rows*span.Len()]
	s.comm.Exchange(partner, Memory(s.out), Memory(in))
	for k := range s.x.Rows {
		copy(s.x.Row(k)[span.From:span.To], in[k*span.Len():])
	}
}
