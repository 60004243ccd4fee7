package source

import (
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
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
	at.Begin(RowsTogether, block.Reads, block.Untouched, true)
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
	if norm, most, done, err = normOf(s, "M", found, over); !done && err == nil {
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
	slot, _ := at.Footprint(RowsTogether)
	_, width := s.Lines()
	return slot * float64(at.Slots*normMembers[T](s.Part.Whole, width, threads, at.Slots))
}
