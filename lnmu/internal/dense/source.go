package dense

import (
	"errors"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Source is M as it was given: rows x cols, by rows in stored or, if turned, by
// columns.
type Source[T kernel.Float] struct {
	Rows, Cols int
	Memory     kernel.Matrix[T]
	ByColumns  bool
	Reader     block.Reader[T] // of what is not in memory, where stored is nothing

	// what is observed; missing entries read as 0
	entries observed.Entries
	mask    observed.Mask
	seen    observed.Cells[T] // in the layout of the passes

	// of a part
	Part  core.Part
	Share *group.Reducer // of the slabs
}

// Whole returns the number of rows and of columns of M, of which a source may be a part.
func (s Source[T]) Whole() (rows, cols int) {
	if s.Part.Columns {
		return s.Rows, s.Part.Whole
	}
	return s.Part.Whole, s.Cols
}

// window returns the rows and the columns of M that a source has.
func (s Source[T]) window() core.Window { return s.Part.Window(s.Rows, s.Cols) }

// Placed makes an error about an entry of a part one about an entry of M.
func (s Source[T]) Placed(err error) error {
	if entry := (*core.ValueError)(nil); errors.As(err, &entry) {
		w := s.window()
		entry.Row, entry.Col = entry.Row+w.Rows.From, entry.Col+w.Cols.From
	}
	return err
}

// Whole returns a dense matrix as the whole of M.
func Whole[T kernel.Float](m kernel.Matrix[T]) Source[T] {
	return Source[T]{Rows: m.Rows, Cols: m.Cols, Memory: m}.Undivided()
}

// Undivided makes s the whole of M, which one process has.
func (s Source[T]) Undivided() Source[T] {
	s.Part = core.Part{Whole: max(s.Rows, s.Cols), Columns: s.Cols > s.Rows}
	s.Share = group.ForRows(group.Self{}, s.Part.Whole)
	return s
}

// Observe makes s a source of which these entries count, as Settle returns them; exact says
// how a HALS step takes note of what is missing. What is not observed may hold anything.
func (s Source[T]) Observe(e observed.Entries, exact bool) Source[T] {
	if !e.Incomplete() {
		return s
	}
	s.entries, s.mask = e, observed.Mask{Rows: e.Seen}
	if e.Seen.Data != nil && (s.Reader == nil || !s.tall() || exact) { // else nothing goes over the columns
		s.mask.Cols = observed.Transposed(e.Seen)
	}
	s.seen = s.cells(s.tall())
	s.seen.Exact = exact
	if s.Reader == nil {
		s.seen = s.seen.Copied()
	} else if s.seen.Masked() {
		s.Reader = observedReader[T]{s.Reader, s.seen.Rows}
	}
	return s
}

// tall reports whether the lines of a pass are the rows of M.
func (s Source[T]) tall() bool { return !s.Part.Columns }

// cells returns what is observed of M, for passes over its rows or, if it is not tall, over
// its columns.
func (s Source[T]) cells(tall bool) observed.Cells[T] {
	return observed.NewCells[T](s.entries, s.mask, !tall)
}

// observedReader reads lines of M, with 0 for what is missing.
type observedReader[T kernel.Float] struct {
	block.Reader[T]
	seen kernel.Bits
}

// ReadLines implements block.Reader.
func (r observedReader[T]) ReadLines(room []T, first, last int) ([]T, error) {
	lines, err := r.Reader.ReadLines(room, first, last)
	if width := r.seen.Cols; err == nil && len(lines) == (last-first)*width { // who asks refuses another length
		observed.Clear(kernel.Matrix[T]{Rows: last - first, Cols: width, Data: lines, Stride: width}, r.seen, first, 0)
	}
	return lines, err
}

// arranged returns M, or Mᵀ if transposed, where it lies; ok is false if it lies the
// other way round, or if entries are missing, whatever they hold.
func (s Source[T]) arranged(transposed bool) (m kernel.Matrix[T], ok bool) {
	return s.Memory, s.ByColumns == transposed && !s.mask.Masked()
}

// copyTo copies rows [i0, i1) of M, or of Mᵀ if transposed, to those of dst.
func (s Source[T]) copyTo(dst kernel.Matrix[T], transposed bool, i0, i1 int) {
	part := dst.Slice(i0, i1, 0, dst.Cols)
	if s.ByColumns != transposed {
		matrix.Transpose(part, s.Memory.Slice(0, s.Memory.Rows, i0, i1))
	} else {
		matrix.CopyRows(part, s.Memory.Slice(i0, i1, 0, dst.Cols))
	}
	seen := s.mask
	if transposed {
		seen = seen.Turned()
	}
	observed.Clear(part, seen.Rows, i0, 0)
}

// arrange returns M, or Mᵀ if transposed: a copy unless it lies so.
func (s Source[T]) arrange(transposed bool) kernel.Matrix[T] {
	m, ok := s.arranged(transposed)
	if !ok {
		rows, cols := s.Rows, s.Cols
		if transposed {
			rows, cols = cols, rows
		}
		m = kernel.NewMatrix[T](rows, cols)
		s.copyTo(m, transposed, 0, rows)
	}
	return m
}

// slice returns rows [i0, i1) of columns [j0, j1) of M; i0 and j0 are multiples of 8.
func (s Source[T]) slice(i0, i1, j0, j1 int) Source[T] {
	part := Source[T]{Rows: i1 - i0, Cols: j1 - j0, ByColumns: s.ByColumns, mask: s.mask.Slice(i0, i1, j0, j1)}
	if s.ByColumns {
		part.Memory = s.Memory.Slice(j0, j1, i0, i1)
	} else {
		part.Memory = s.Memory.Slice(i0, i1, j0, j1)
	}
	return part
}

// columns copies columns [j, j + dst.Rows) of M to the rows of dst.
func (s Source[T]) columns(dst kernel.Matrix[T], j int) {
	if s.ByColumns {
		matrix.CopyRows(dst, s.Memory.Slice(j, j+dst.Rows, 0, s.Rows))
	} else {
		matrix.Transpose(dst, s.Memory.Slice(0, s.Rows, j, j+dst.Rows))
	}
	observed.Clear(dst, s.mask.Cols, j, 0)
}

// column returns column j of M, perhaps in scratch.
func (s Source[T]) column(j int, scratch []T) []T {
	if s.ByColumns && !s.mask.Masked() {
		return s.Memory.Row(j)
	}
	s.columns(kernel.Matrix[T]{Rows: 1, Cols: s.Rows, Data: scratch, Stride: s.Rows}, j)
	return scratch
}

// inMemory reads the lines of a source that is in memory.
type inMemory[T kernel.Float] struct{ Source[T] }

// Room implements block.Reader.
func (r inMemory[T]) Room(lines int) int {
	_, width := r.lines()
	return lines * width
}

// ReadLines implements block.Reader; first is a multiple of 8.
func (r inMemory[T]) ReadLines(room []T, first, last int) ([]T, error) {
	_, width := r.lines()
	x := kernel.Matrix[T]{Rows: last - first, Cols: width, Data: room[:r.Room(last-first)], Stride: width}
	if r.tall() {
		r.slice(first, last, 0, r.Cols).copyTo(x, false, 0, x.Rows)
	} else {
		r.slice(0, r.Rows, first, last).copyTo(x, true, 0, x.Rows)
	}
	return x.Data, nil
}

// lines returns the number of lines of a source and their width: the rows of a tall M, of
// which it may be a part, or the columns of a wide one.
func (s Source[T]) lines() (lines, width int) {
	if s.tall() {
		return s.Rows, s.Cols
	}
	return s.Cols, s.Rows
}

// togetherBytes is the size of the lines that eachLines reads at once.
const togetherBytes = 8 << 20

// eachLines calls do for the lines of this process, some at a time, until it returns an
// error. They are gone after the call.
func (s Source[T]) eachLines(do func(first int, x kernel.Matrix[T]) error) error {
	lines, width := s.lines()
	reader := s.Reader
	if reader == nil {
		reader = inMemory[T]{s}
	}
	together := min(lines, max(leastBlock, togetherBytes/(width*int(unsafe.Sizeof(T(0))))/leastBlock*leastBlock))
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

// eachRow calls do for every row of M, one after the other, until it returns an
// error. The row is gone after the call.
func (s Source[T]) eachRow(do func(i int, row []T) error) error {
	const together = 16 // rows that are copied at once
	var copied kernel.Matrix[T]
	if s.ByColumns || s.mask.Masked() {
		copied = kernel.NewMatrix[T](together, s.Cols)
	}
	for i := range s.Rows {
		var row []T
		if copied.Rows > 0 {
			if i%together == 0 {
				end := min(i+together, s.Rows)
				s.slice(i, end, 0, s.Cols).copyTo(copied.Slice(0, end-i, 0, s.Cols), false, 0, end-i)
			}
			row = copied.Row(i % together)
		} else {
			row = s.Memory.Row(i)
		}
		if err := do(i, row); err != nil {
			return err
		}
	}
	return nil
}
