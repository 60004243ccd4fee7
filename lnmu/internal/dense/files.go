package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tree"
)

// normSlabs is how many bytes of slabs, of which a wide matrix needs whole ones, are
// held at the same time, if there are that many.
const normSlabs = 64 << 20

// FilesNorm is norm for a matrix that is not in memory.
func (s Source[T]) FilesNorm(ctx context.Context, threads int) (norm, most float64, err error) {
	lines, width := max(s.Rows, s.Cols), min(s.Rows, s.Cols)
	size, count := group.Slabs(lines)
	at := block.NewFiles(s.Reader, lines, width)
	if s.ByColumns { // a row of M goes through all the lines of a slab
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
			if i += x.Rows; s.ByColumns {
				addRows(&found[slab], Source[T]{Rows: x.Cols, Cols: x.Rows, Memory: x, ByColumns: true})
			} else {
				addRows(&found[slab], Source[T]{Rows: x.Rows, Cols: x.Cols, Memory: x})
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
	norm, most, err = all.norm("M")
	if s.seen.Weighted() && err == nil {
		norm, err = s.weightedNorm(ctx)
	}
	return norm, most, err
}

// checkStoredRows is checkRows for a matrix that is not in memory.
func (s Source[T]) checkStoredRows() error {
	lines, width := max(s.Rows, s.Cols), min(s.Rows, s.Cols)
	var worst *core.ValueError // of a wide matrix the first one by rows
	if !s.ByColumns {
		return s.eachLines(func(first int, x kernel.Matrix[T]) error {
			return Source[T]{Rows: x.Rows, Cols: x.Cols, Memory: x}.checkRows("M", first)
		})
	}
	err := s.eachLines(func(first int, x kernel.Matrix[T]) error {
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
	rows := matrix.New[T](strip, lines, nil)
	for i := 0; i < width && err == nil; i += strip {
		end := min(i+strip, width)
		err = s.eachLines(func(first int, x kernel.Matrix[T]) error {
			matrix.Transpose(rows.Slice(0, end-i, first, first+x.Rows), x.Slice(0, x.Rows, i, end))
			return nil
		})
		if err == nil {
			part := rows.Slice(0, end-i, 0, lines)
			err = Source[T]{Rows: part.Rows, Cols: part.Cols, Memory: part}.checkRows("M", i)
		}
	}
	return err
}

// storedState is the state of a solver in a file as a part of a checkpoint.
type storedState[T kernel.Float] struct{ s *solver[T] }

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
