package source

import (
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Given is a dense M, or a part of it, as a caller gives it. It has no methods, which every
// package that has one would compile.
type Given[T kernel.Float] struct {
	Rows, Cols int
	Memory     kernel.Matrix[T] // M, or Mᵀ if ByColumns; empty if there is a reader
	ByColumns  bool
	Reader     block.Reader[T] // of the lines of M that are not in memory; else nil
}

// Dense is a dense M with the entries that count. Missing entries read as 0.
type Dense[T kernel.Float] struct {
	Given[T]

	Observed observed.Cells[T] // the observed entries, in the layout of the passes
	entries  observed.Entries
	mask     observed.Mask

	Arena *arena.Arena   // of what is made of M; see core.Session
	Part  core.Part      // which part of M this is
	Share *group.Reducer // the slabs of the process that has it
}

// Whole returns the number of rows and of columns of M, of which a source may be a part.
func (s Dense[T]) Whole() (rows, cols int) {
	if s.Part.Columns {
		return s.Rows, s.Part.Whole
	}
	return s.Part.Whole, s.Cols
}

// Window returns the rows and the columns of M that a source has.
func (s Dense[T]) Window() core.Window { return s.Part.Window(s.Rows, s.Cols) }

// New returns the part of M that one of several processes is given.
func New[T kernel.Float](m Given[T], p core.Part, c group.Comm) Dense[T] {
	return Dense[T]{Given: m, Part: p, Share: group.ForRows(c, p.Whole)}
}

// Undivided returns a matrix as the whole of M, which one process has.
func Undivided[T kernel.Float](m Given[T]) Dense[T] {
	return New(m, core.Part{Whole: max(m.Rows, m.Cols), Columns: m.Cols > m.Rows}, group.Self{})
}

// Whole is Undivided for a matrix whose rows lie one after the other.
func Whole[T kernel.Float](m kernel.Matrix[T]) Dense[T] { return Undivided(rows(m)) }

// rows returns a matrix whose rows lie one after the other.
func rows[T kernel.Float](m kernel.Matrix[T]) Given[T] {
	return Given[T]{Rows: m.Rows, Cols: m.Cols, Memory: m}
}

// Observe returns s with the mask and weights e, as Settle returns them. exact says whether
// HALS steps minimise over the observed entries themselves. Missing entries may hold anything.
func (s Dense[T]) Observe(e observed.Entries, exact bool) Dense[T] {
	if !e.Incomplete() {
		return s
	}
	s.entries, s.mask = e, observed.Mask{Rows: e.Mask}
	if e.Mask.Data != nil && (s.Reader == nil || !s.Tall() || exact) { // else no pass goes by columns
		s.mask.Cols = observed.Transposed(s.Arena, e.Mask)
	}
	s.Observed = s.Cells(s.Tall())
	s.Observed.Exact = exact
	if s.Reader == nil {
		s.Observed = s.Observed.Copied(s.Arena)
	} else if s.Observed.Masked() {
		s.Reader = observedReader[T]{s.Reader, s.Observed.Rows}
	}
	return s
}

// Tall reports whether the lines of a pass are the rows of M.
func (s Dense[T]) Tall() bool { return !s.Part.Columns }

// Cells returns the observed entries of M, for passes over its rows or, if tall is false, over
// its columns.
func (s Dense[T]) Cells(tall bool) observed.Cells[T] {
	return observed.NewCells[T](s.entries, s.mask, !tall)
}

// observedReader reads lines of M, with 0 for what is missing.
type observedReader[T kernel.Float] struct {
	block.Reader[T]
	mask kernel.Bits
}

// ReadLines implements block.Reader.
func (r observedReader[T]) ReadLines(room []T, first, last int) ([]T, error) {
	lines, err := r.Reader.ReadLines(room, first, last)
	if width := r.mask.Cols; err == nil && len(lines) == (last-first)*width { // the caller refuses another length
		observed.Clear(kernel.Matrix[T]{Rows: last - first, Cols: width, Data: lines, Stride: width}, r.mask, first, 0)
	}
	return lines, err
}

// Arranged returns M, or Mᵀ if transposed, without copying. ok is false if M is stored the
// other way round, or if entries are missing.
func (s Dense[T]) Arranged(transposed bool) (m kernel.Matrix[T], ok bool) {
	return s.Memory, s.ByColumns == transposed && !s.mask.Masked()
}

// CopyTo copies rows [i0, i1) of M, or of Mᵀ if transposed, to those of dst.
func (s Dense[T]) CopyTo(dst kernel.Matrix[T], transposed bool, i0, i1 int) {
	if s.Arena.Dry() {
		return
	}
	part := dst.Slice(i0, i1, 0, dst.Cols)
	if s.ByColumns != transposed {
		part.SetTransposed(s.Memory.Slice(0, s.Memory.Rows, i0, i1))
	} else {
		matrix.CopyRows(part, s.Memory.Slice(i0, i1, 0, dst.Cols))
	}
	mask := s.mask
	if transposed {
		mask = mask.Transposed()
	}
	observed.Clear(part, mask.Rows, i0, 0)
}

// Arrange returns M, or Mᵀ if transposed. It makes a copy if Arranged cannot return it.
func (s Dense[T]) Arrange(transposed bool) kernel.Matrix[T] {
	m, ok := s.Arranged(transposed)
	if !ok {
		rows, cols := s.Rows, s.Cols
		if transposed {
			rows, cols = cols, rows
		}
		m = arena.Matrix[T](s.Arena, rows, cols)
		s.CopyTo(m, transposed, 0, rows)
	}
	return m
}

// slice returns rows [i0, i1) of columns [j0, j1) of M; i0 and j0 are multiples of 8.
func (s Dense[T]) slice(i0, i1, j0, j1 int) Dense[T] {
	part := Dense[T]{Given: Given[T]{Rows: i1 - i0, Cols: j1 - j0, ByColumns: s.ByColumns}, mask: s.mask.Slice(i0, i1, j0, j1)}
	if s.ByColumns {
		part.Memory = s.Memory.Slice(j0, j1, i0, i1)
	} else {
		part.Memory = s.Memory.Slice(i0, i1, j0, j1)
	}
	return part
}

// Columns copies columns [j, j + dst.Rows) of M to the rows of dst.
func (s Dense[T]) Columns(dst kernel.Matrix[T], j int) {
	if s.ByColumns {
		matrix.CopyRows(dst, s.Memory.Slice(j, j+dst.Rows, 0, s.Rows))
	} else {
		dst.SetTransposed(s.Memory.Slice(0, s.Rows, j, j+dst.Rows))
	}
	observed.Clear(dst, s.mask.Cols, j, 0)
}

// Column returns column j of M, perhaps in scratch.
func (s Dense[T]) Column(j int, scratch []T) []T {
	if s.ByColumns && !s.mask.Masked() {
		return s.Memory.Row(j)
	}
	s.Columns(kernel.Matrix[T]{Rows: 1, Cols: s.Rows, Data: scratch, Stride: s.Rows}, j)
	return scratch
}

// inMemory reads the lines of a source that is in memory.
type inMemory[T kernel.Float] struct{ Dense[T] }

// Room implements block.Reader.
func (r inMemory[T]) Room(lines int) int {
	_, width := r.Lines()
	return lines * width
}

// ReadLines implements block.Reader; first is a multiple of 8.
func (r inMemory[T]) ReadLines(room []T, first, last int) ([]T, error) {
	_, width := r.Lines()
	x := kernel.Matrix[T]{Rows: last - first, Cols: width, Data: room[:r.Room(last-first)], Stride: width}
	if r.Tall() {
		r.slice(first, last, 0, r.Cols).CopyTo(x, false, 0, x.Rows)
	} else {
		r.slice(0, r.Rows, first, last).CopyTo(x, true, 0, x.Rows)
	}
	return x.Data, nil
}

// Lines returns the number of lines of a source and their width. Lines are the rows of a tall
// M, and the columns of a wide one.
func (s Dense[T]) Lines() (lines, width int) {
	if s.Tall() {
		return s.Rows, s.Cols
	}
	return s.Cols, s.Rows
}

// rowsTogether is the least number of lines that are read at once, and the number of those that a pass over M in memory
// copies at once, if M is given the other way round or has missing entries.
const rowsTogether = 16

const togetherBytes = 8 << 20 // of the lines in files that eachLines reads at once

// eachLines calls do for the lines of this process, some at a time, until it returns an error.
// The lines are valid during the call only.
func (s Dense[T]) eachLines(do func(first int, x kernel.Matrix[T]) error) error {
	lines, width := s.Lines()
	reader := s.Reader
	if reader == nil {
		if m, ok := s.Arranged(!s.Tall()); ok {
			return do(0, m)
		}
		reader = inMemory[T]{s}
	}
	together := s.together()
	room := direct.Make[T](reader.Room(together))
	for first := 0; first < lines; first += together {
		last := min(first+together, lines)
		read, err := block.Read(reader, room, first, last, width)
		if err != nil {
			return err
		}
		if err := do(first, kernel.Matrix[T]{Rows: last - first, Cols: width, Data: read, Stride: width}); err != nil {
			return err
		}
	}
	return nil
}

// together returns the number of lines that eachLines reads at once.
func (s Dense[T]) together() int {
	lines, width := s.Lines()
	if s.Reader == nil {
		return min(lines, rowsTogether)
	}
	return min(lines, max(rowsTogether, togetherBytes/(width*int(unsafe.Sizeof(T(0))))/rowsTogether*rowsTogether))
}
