package dense

import (
	"errors"
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// FilesNorm is Norm for a matrix that is not in memory. It is not done if over says, in any
// process, that the work is over; broken is told so, and of an error of the disk.
func (s Source[T]) FilesNorm(over func() bool, broken func(error), threads int) (norm, most float64, done bool, err error) {
	_, width := s.lines()
	at, count := s.files(), s.Share.Last-s.Share.First
	if s.ByColumns { // a row of M goes through all the lines of a slab
		at.ChunkBytes = math.MaxInt
		threads = normMembers[T](s.Part.Whole, width, threads, at.Slots)
	}
	t := team.New(min(threads, max(count, 1)))
	defer t.Close()
	at.Cancelled, at.Broken = over, broken
	at.Start(t.Size())
	defer at.Close()
	found := make([]magnitude, count)
	at.Begin(leastBlock, block.Reads, block.Untouched, true)
	t.Run(count, func(member, slab int) {
		first, last := at.Slab(slab)
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
	at.Agree()
	if at.Aborted() {
		return 0, 0, false, at.Err()
	}
	all := group.Sum(s.Share, found, magnitude.plus)
	if all.outside(matrix.Largest[T]()) {
		if err := s.checkStored(); err != nil {
			return 0, 0, true, err
		}
	}
	norm, most, err = all.norm("M")
	if err != nil || !s.seen.Weighted() {
		return norm, most, true, err
	}
	if norm, done, err = s.weightedNorm(over); !done && err == nil {
		broken(nil)
	}
	return norm, most, done, err
}

// files returns M where its reader has it.
func (s Source[T]) files() *block.Files[T] {
	lines, width := s.lines()
	at := block.NewFiles(s.Reader, lines, s.Part.Whole, width)
	at.Share = s.Share
	return at
}

// checkStored returns an error, in all processes, for an entry that cannot be factored, or
// for a row whose squares leave the range of T.
func (s Source[T]) checkStored() error {
	if !s.ByColumns {
		return group.Agree(s.Share, s.eachLines(func(first int, x kernel.Matrix[T]) error {
			return Source[T]{Rows: x.Rows, Cols: x.Cols, Memory: x}.checkRows("M", s.Part.First+first)
		}))
	}
	var worst *core.ValueError // the first one by rows
	totals := make([]rowTotal, s.Rows)
	err := s.eachLines(func(first int, x kernel.Matrix[T]) error {
		for j := range x.Rows {
			column := s.Part.First + first + j
			if bad := (*core.ValueError)(nil); errors.As(matrix.CheckRow("M", column, x.Row(j)), &bad) && (worst == nil || bad.Col < worst.Row) {
				worst = &core.ValueError{Matrix: "M", Row: bad.Col, Col: column, Value: bad.Value}
			}
			for i, a := range x.Row(j) {
				totals[i].add(float64(a))
			}
		}
		return nil
	})
	if worst != nil && err == nil {
		err = worst
	}
	if err := group.Agree(s.Share, err); err != nil {
		return err
	}
	return s.checkTotals("M", totals, func(rows []int, to kernel.Matrix[T]) error {
		return s.eachLines(func(first int, x kernel.Matrix[T]) error {
			for k, i := range rows {
				for j := range x.Rows {
					to.Row(k)[first+j] = x.Row(j)[i]
				}
			}
			return nil
		})
	})
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

// Span implements state.Stream.
func (x storedState[T]) Span() (first, count, whole int) {
	return x.s.first * x.s.cols, x.s.rows * x.s.cols, x.s.whole * x.s.cols
}

func (x storedState[T]) Err() error             { return x.s.files.Err() }
func (x storedState[T]) Read(do func(row []T))  { x.each(block.Reads, do) }
func (x storedState[T]) Write(do func(row []T)) { x.each(block.Writes, do) }

// each goes over the rows of the state, in order. It is no pass of all processes: of these one
// may write a state, or find that it cannot read one.
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
