package lnmu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/internal/team"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tree"
)

// Reader reads a dense matrix M from where it stays, such as a file, in parts: whole
// lines, the rows of a tall M (rows >= cols), the columns of a wide one, which are what
// a pass goes over. Its methods are called concurrently.
type Reader[T Float] interface {
	Dims() (rows, cols int)

	// Room returns how many elements ReadLines needs to read so many lines: theirs, and
	// what else a file must be asked for.
	Room(lines int) int

	// ReadLines reads lines first to last-1 and returns them, one behind the other. They
	// may lie anywhere in room, whose memory begins at a page of 4096 bytes. What it
	// returned before must not change.
	ReadLines(room []T, first, last int) (lines []T, err error)
}

// Stored is a matrix that is not in memory. Factor, FactorFrom and Continue never hold
// more of it than a few blocks of lines for each thread, which are read ahead, and keep
// what else is of its size in Settings.Scratch. The bits are those that M in memory
// would lead to. They have it for NMF, GNMU and RNMU, but not with the norm L1, with
// exact steps, with priors or with missing entries or weights, nor from the start
// InitSVD.
//
// An error of the reader, or of a scratch file, ends the run and is its error. TimeLimit
// and cancellation end the first reading of M, and then there are no factors, and a pass;
// what is returned then has its error from one more reading, for which as much of TimeLimit
// is kept back as the first one took.
type Stored[T Float] struct{ Reader[T] }

// At returns entry (i, j), for which it reads a line. It is NaN if that cannot be read.
func (s Stored[T]) At(i, j int) T {
	if rows, cols := s.Dims(); rows < cols {
		i, j = j, i
	}
	line, err := s.ReadLines(direct.Make[T](s.Room(1)), i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return line[j]
}

// Traffic is how many times an iteration of a method reads and writes as much as M, if M
// is Stored.
type Traffic struct{ Reads, Writes int }

// TrafficOf returns the traffic of a method with its defaults, as WithDefaults returns
// it, in an iteration of one block of factors.
func TrafficOf(method Method) Traffic {
	if m, ok := method.(interface{ traffic() Traffic }); ok {
		return m.traffic()
	}
	return Traffic{Reads: 1} // one product with M for both factors
}

// traffic is that of T HALS steps: Algorithm L-NMU reads N in each of them and M once,
// for the update of N; the augmented Lagrangian reads both in all of them.
func (l Lagrangian) traffic() Traffic {
	if l.Solver == SolverADMM {
		return Traffic{Reads: 2 * l.StepsPerUpdate, Writes: 1}
	}
	return Traffic{Reads: l.StepsPerUpdate + 1, Writes: 1}
}

// forStored refuses what a matrix that is not in memory does not have.
func (p resolved) forStored(s Settings) error {
	d := p.method.Describe()
	in := "; it is for a matrix in memory"
	switch {
	case !d.Partial: // the methods with products of their own
		return core.Bad("method %s with a stored matrix%s: choose %s", d.Name, in, names(func(d Description) bool { return d.Partial }))
	case p.norm == L1:
		return core.Bad("norm l1 with a stored matrix%s: choose l2", in)
	case p.priors.any():
		return core.Bad("penalties, target sparsities or smoothness of %s with a stored matrix%s: leave them out", d.Name, in)
	case p.lagrange.Feasible != "":
		return core.Bad("feasible %s with a stored matrix%s: leave it out", p.lagrange.Feasible, in)
	case s.incomplete():
		return core.Bad("missing entries or weights with a stored matrix%s: leave them out", in)
	case s.Init == InitSVD:
		return core.Bad("start svd with a stored matrix%s: choose random or given", in)
	}
	return nil
}

// storedOr returns the valid matrix m as a source, which may be one that is not in memory.
func storedOr[T Float](of Matrix[T]) (source[T], error) {
	m, ok := of.(Stored[T])
	if !ok {
		return sourceOf(of)
	}
	if m.Reader == nil {
		return source[T]{}, fmt.Errorf("%w: the stored M has no reader", ErrShape)
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return source[T]{}, err
	}
	if rows > math.MaxInt/cols/int(unsafe.Sizeof(T(0))) {
		return source[T]{}, fmt.Errorf("%w: M is %d x %d, more than can be counted", ErrShape, rows, cols)
	}
	return source[T]{rows: rows, cols: cols, reader: m.Reader, turned: cols > rows}.undivided(), nil
}

// normSlabs is how many bytes of slabs, of which a wide matrix needs whole ones, are
// held at the same time, if there are that many.
const normSlabs = 64 << 20

// storedNorm is norm for a matrix that is not in memory.
func (s source[T]) storedNorm(ctx context.Context, threads int) (norm, most float64, err error) {
	lines, width := max(s.rows, s.cols), min(s.rows, s.cols)
	size, count := group.Slabs(lines)
	at := block.NewFiles(s.reader, lines, width)
	if s.turned { // a row of M goes through all the lines of a slab
		at.ChunkBytes = math.MaxInt
		threads = normMembers[T](lines, width, threads, at.Slots)
	}
	t := team.New(min(threads, count))
	defer t.Close()
	at.Cancelled = func() bool { return ctx.Err() != nil }
	at.Start(t.Size())
	defer at.Close()
	found := make([]magnitude, count)
	at.Begin(leastBlock, block.Reads, block.Untouched, true)
	t.Run(count, func(member, slab int) {
		first, last := slab*size, min((slab+1)*size, lines)
		for i := first; i < last && !at.Aborted(); {
			x := at.Rows(member, i, at.Reach(member, i, last), block.OfM)
			if i += x.Rows; s.turned {
				addRows(&found[slab], source[T]{rows: x.Cols, cols: x.Rows, stored: x, turned: true})
			} else {
				addRows(&found[slab], source[T]{rows: x.Rows, cols: x.Cols, stored: x})
			}
		}
	})
	at.End()
	if err := at.Err(); err != nil {
		return 0, 0, err
	}
	if ctx.Err() != nil {
		return 0, 0, fmt.Errorf("factorization stopped early: %w", context.Cause(ctx))
	}
	all := tree.Sum(found, magnitude.plus)
	if all.outside(matrix.Largest[T]()) {
		if err := s.checkStoredRows(); err != nil {
			return 0, 0, err
		}
	}
	return all.norm("M")
}

// checkStoredRows is checkRows for a matrix that is not in memory.
func (s source[T]) checkStoredRows() error {
	lines, width := max(s.rows, s.cols), min(s.rows, s.cols)
	together := max(1, min(lines, normSlabs/(width*int(unsafe.Sizeof(T(0))))))
	room := direct.Make[T](s.reader.Room(together))
	var worst *core.ValueError // of a wide matrix the first one by rows
	each := func(do func(first int, x Dense[T]) error) error {
		for first := 0; first < lines; first += together {
			last := min(first+together, lines)
			read, err := s.reader.ReadLines(room, first, last)
			if err != nil {
				return err
			}
			if err := do(first, Dense[T]{Rows: last - first, Cols: width, Data: read, Stride: width}); err != nil {
				return err
			}
		}
		return nil
	}
	if !s.turned {
		return each(func(first int, x Dense[T]) error {
			return source[T]{rows: x.Rows, cols: x.Cols, stored: x}.checkRows("M", first)
		})
	}
	err := each(func(first int, x Dense[T]) error {
		for j := range x.Rows {
			if bad := (*core.ValueError)(nil); errors.As(matrix.CheckRow("M", first+j, x.Row(j)), &bad) && (worst == nil || bad.Col < worst.Row) {
				worst = &core.ValueError{Matrix: "M", Row: bad.Col, Col: bad.Row, Value: bad.Value}
			}
		}
		return nil
	})
	if worst != nil && err == nil {
		return worst
	}
	// What is left are squares that leave the range of T, of whole rows, of which some
	// fit into memory at a time.
	strip := max(1, min(width, normSlabs/(lines*int(unsafe.Sizeof(T(0))))))
	rows := NewDense[T](strip, lines, nil)
	for i := 0; i < width && err == nil; i += strip {
		end := min(i+strip, width)
		err = each(func(first int, x Dense[T]) error {
			matrix.Transpose(rows.Slice(0, end-i, first, first+x.Rows), x.Slice(0, x.Rows, i, end))
			return nil
		})
		if err == nil {
			part := rows.Slice(0, end-i, 0, lines)
			err = source[T]{rows: part.Rows, cols: part.Cols, stored: part}.checkRows("M", i)
		}
	}
	return err
}

// storedState is the state of a solver in a file as a part of a checkpoint.
type storedState[T Float] struct{ s *solver[T] }

// stateRows returns N or G as a field of a checkpoint.
func (s *solver[T]) stateRows() any {
	if s.files == nil {
		return s.rowsOf(s.n)
	}
	return storedState[T]{s}
}

func (x storedState[T]) Count() int             { return x.s.rows * x.s.cols }
func (x storedState[T]) Read(do func(row []T))  { x.each(block.Reads, do) }
func (x storedState[T]) Write(do func(row []T)) { x.each(block.Writes, do) }

// each goes over the rows of the state, in order.
func (x storedState[T]) each(use block.Access, do func(row []T)) {
	s := x.s
	s.lines.Begin(s.block, block.Untouched, use, false)
	for i0 := 0; i0 < s.rows && !s.lines.Aborted(); {
		n := s.lines.Rows(0, i0, s.lines.Reach(0, i0, s.rows), block.OfN)
		for i := range n.Rows {
			do(n.Row(i))
		}
		i0 += n.Rows
	}
	s.lines.End()
}
