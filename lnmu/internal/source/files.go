package source

import (
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
)

// FilesNorm is Norm for a matrix that is not in memory. done is false if over returns true in
// any process, or if an error of the disk aborts the pass. Then broken is called, with the
// error or nil.
func (s Dense[T]) FilesNorm(over func() bool, broken func(error), threads int) (norm, most float64, done bool, err error) {
	at, members := s.normFiles(threads)
	t, count := team.New(members), s.Share.Last-s.Share.First
	defer t.Close()
	at.Cancelled, at.Broken = over, broken
	at.Start(t.Size())
	defer at.Close()
	found := make([]magnitude, count)
	at.Begin(rowsTogether, block.Reads, block.Untouched, true)
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

// normFiles returns the lines for the norm, and the number of threads that compute it. In a wide M each thread has whole slabs in
// memory, since a row of M has entries in all their lines.
func (s Dense[T]) normFiles(threads int) (at *block.Files[T], members int) {
	at = s.Files()
	if s.ByColumns {
		_, width := s.Lines()
		size, _ := group.Slabs(s.Part.Whole)
		at.ChunkBytes = math.MaxInt
		threads = min(threads, max(1, normSlabs/(at.Slots*size*width*int(unsafe.Sizeof(T(0))))))
	}
	return at, max(1, min(threads, s.Share.Last-s.Share.First))
}

// Reserve takes from the arena the buffers of Norm or of FilesNorm.
func (s Dense[T]) Reserve(threads int) {
	size, bytes := float64(unsafe.Sizeof(T(0))), 0.0
	_, width := s.Lines()
	switch {
	case s.Reader != nil:
		at, members := s.normFiles(threads)
		bytes, _ = at.Footprint(rowsTogether, members)
	case s.ByColumns || s.mask.Masked():
		bytes = size * float64(threads) * rowsTogether * float64(s.Cols)
	}
	if s.Observed.Weighted() { // lines and their weights
		bytes += 2 * size * float64(s.together()) * float64(width)
	}
	s.Arena.Buffer(bytes)
}
