package dense

import (
	"errors"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Source is M as it was given: rows x cols, by rows in stored or, if turned, by
// columns.
type Source[T kernel.Float] struct {
	Rows, Cols int
	Memory     kernel.Matrix[T]
	ByColumns  bool
	Reader     block.Reader[T] // of what is not in memory, where stored is nothing

	// what is observed; missing entries read as 0
	mask
	weights Weights
	exact   bool
	seen    observations[T] // in the layout of the passes

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

// arranged returns M, or Mᵀ if transposed, where it lies; ok is false if it lies the
// other way round, or if entries are missing, whatever they hold.
func (s Source[T]) arranged(transposed bool) (m kernel.Matrix[T], ok bool) {
	return s.Memory, s.ByColumns == transposed && !s.masked()
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
		seen = seen.turned()
	}
	clearMissing(part, seen.rows, i0, 0)
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
	part := Source[T]{Rows: i1 - i0, Cols: j1 - j0, ByColumns: s.ByColumns, mask: s.mask.slice(i0, i1, j0, j1)}
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
	clearMissing(dst, s.mask.cols, j, 0)
}

// column returns column j of M, perhaps in scratch.
func (s Source[T]) column(j int, scratch []T) []T {
	if s.ByColumns && !s.masked() {
		return s.Memory.Row(j)
	}
	s.columns(kernel.Matrix[T]{Rows: 1, Cols: s.Rows, Data: scratch, Stride: s.Rows}, j)
	return scratch
}

// eachRow calls do for every row of M, one after the other, until it returns an
// error. The row is gone after the call.
func (s Source[T]) eachRow(do func(i int, row []T) error) error {
	const together = 16 // rows that are copied at once
	var copied kernel.Matrix[T]
	if s.ByColumns || s.masked() {
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
