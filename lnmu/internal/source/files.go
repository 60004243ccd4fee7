package source

import (
	"errors"
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// FilesNorm is Norm for a matrix that is not in memory. done is false if over returns true in
// any process, or if an error of the disk aborts the pass. Then broken is called, with the
// error or nil.
func (s Dense[T]) FilesNorm(over func() bool, broken func(error), threads int) (norm, most float64, done bool, err error) {
	_, width := s.Lines()
	at, count := s.Files(), s.Share.Last-s.Share.First
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
	at.Begin(leastLines, block.Reads, block.Untouched, true)
	t.Run(count, func(member, slab int) {
		first, last := at.Slab(slab)
		for i := first; i < last && !at.Aborted(); {
			x := at.Rows(member, i, at.Reach(member, i, last), block.OfM)
			if i += x.Rows; s.ByColumns {
				addRows(&found[slab], Dense[T]{Given: Given[T]{Rows: x.Cols, Cols: x.Rows, Memory: x, ByColumns: true}})
			} else {
				addRows(&found[slab], Dense[T]{Given: rows(x)})
			}
		}
	})
	at.End()
	at.Agree()
	if at.Aborted() {
		return 0, 0, false, at.Err()
	}
	if norm, most, done, err = normOf(s, "M", found, s.checkStored, over); !done && err == nil {
		broken(nil)
	}
	return norm, most, done, err
}

// Files returns the lines of M in files, as its reader reads them.
func (s Dense[T]) Files() *block.Files[T] {
	lines, width := s.Lines()
	at := block.NewFiles(s.Reader, lines, s.Part.Whole, width)
	at.Share = s.Share
	return at
}

// checkStored returns an error, in all processes, for an entry that cannot be factored, or
// for a row whose squares leave the range of T.
func (s Dense[T]) checkStored() error {
	if !s.ByColumns {
		return group.Agree(s.Share, s.eachLines(func(first int, x kernel.Matrix[T]) error {
			return Dense[T]{Given: rows(x)}.checkRows("M", s.Part.First+first)
		}))
	}
	return s.checkColumns("M")
}

// checkColumns is checkStored for lines that are the columns of the matrix of that name.
func (s Dense[T]) checkColumns(name string) error {
	var worst *fault.ValueError // the first one by rows
	totals := make([]rowTotal, s.Rows)
	err := s.eachLines(func(first int, x kernel.Matrix[T]) error {
		for j := range x.Rows {
			column := s.Part.First + first + j
			if bad := (*fault.ValueError)(nil); errors.As(matrix.CheckRow(name, column, x.Row(j)), &bad) && (worst == nil || bad.Col < worst.Row) {
				worst = &fault.ValueError{Matrix: name, Row: bad.Col, Col: column, Value: bad.Value}
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
	return s.checkTotals(name, totals, func(rows []int, to kernel.Matrix[T]) error {
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

// normMembers returns the number of threads that compute the norm of a wide matrix. Each has
// whole slabs in memory.
func normMembers[T kernel.Float](whole, width, threads, slots int) int {
	size, _ := group.Slabs(whole)
	return min(threads, max(1, normSlabs/(slots*size*width*int(unsafe.Sizeof(T(0))))))
}

// NormMemory returns the bytes of lines that FilesNorm holds, or 0 if M is kept by rows. If it
// is kept by columns, whole slabs are in memory, since a row of M has entries in all their
// lines.
func (s Dense[T]) NormMemory(threads int) float64 {
	if !s.ByColumns {
		return 0
	}
	at := s.Files()
	at.ChunkBytes = math.MaxInt
	slot, _ := at.Footprint(leastLines)
	_, width := s.Lines()
	return slot * float64(at.Slots*normMembers[T](s.Part.Whole, width, threads, at.Slots))
}
