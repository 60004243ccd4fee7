package lnmu

import (
	"errors"
	"fmt"
	"math/bits"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Matrix is a dense matrix M to be factored. A Dense, and a Strided by rows or by
// columns, is read where it lies; any other matrix is copied first.
type Matrix[T Float] interface {
	Dims() (rows, cols int)
	At(i, j int) T
}

// Strided is a dense matrix in any order: entry (i, j) is
// Data[i*RowStride+j*ColStride]. With RowStride 1 it lies column by column, as in
// Fortran, MATLAB and R. It is a view: copying it does not copy Data.
type Strided[T Float] struct {
	Rows, Cols           int
	Data                 []T
	RowStride, ColStride int
}

// ByColumns returns the rows x cols matrix whose columns lie one behind the other
// in data, without copying.
func ByColumns[T Float](rows, cols int, data []T) Strided[T] {
	return Strided[T]{Rows: rows, Cols: cols, Data: data, RowStride: 1, ColStride: rows}
}

// Dims returns the number of rows and columns.
func (s Strided[T]) Dims() (rows, cols int) { return s.Rows, s.Cols }

// At returns entry (i, j). It panics if it lies outside Data.
func (s Strided[T]) At(i, j int) T { return s.Data[i*s.RowStride+j*s.ColStride] }

// validate returns an error unless all entries lie in Data.
func (s Strided[T]) validate(name string) error {
	if err := matrix.CheckDims(name, s.Rows, s.Cols); err != nil {
		return err
	}
	hi, down := bits.Mul(uint(s.Rows-1), uint(s.RowStride))
	hi2, across := bits.Mul(uint(s.Cols-1), uint(s.ColStride))
	last, carry := bits.Add(down, across, 0)
	if s.RowStride < 0 || s.ColStride < 0 || hi|hi2|carry != 0 || last >= uint(len(s.Data)) {
		return fmt.Errorf("%w: %s is %d x %d with strides %d and %d but holds %d elements", ErrShape, name, s.Rows, s.Cols, s.RowStride, s.ColStride, len(s.Data))
	}
	return nil
}

// source is M as it was given: rows x cols, by rows in stored or, if turned, by
// columns.
type source[T Float] struct {
	rows, cols int
	stored     Dense[T]
	turned     bool
	reader     Reader[T] // of what is not in memory, where stored is nothing
	mask                 // missing entries read as 0

	// of a part
	part  core.Part
	share *group.Reducer // of the slabs
}

// whole returns the number of rows and of columns of M, of which a source may be a part.
func (s source[T]) whole() (rows, cols int) {
	if s.part.Columns {
		return s.rows, s.part.Whole
	}
	return s.part.Whole, s.cols
}

// window returns the rows and the columns of M that a source has.
func (s source[T]) window() core.Window { return s.part.Window(s.rows, s.cols) }

// placed makes an error about an entry of a part one about an entry of M.
func (s source[T]) placed(err error) error {
	if entry := (*core.ValueError)(nil); errors.As(err, &entry) {
		w := s.window()
		entry.Row, entry.Col = entry.Row+w.Rows.From, entry.Col+w.Cols.From
	}
	return err
}

// undivided makes s the whole of M, which one process has.
func (s source[T]) undivided() source[T] {
	s.part = core.Part{Whole: max(s.rows, s.cols), Columns: s.cols > s.rows}
	s.share = group.ForRows(group.Self{}, s.part.Whole)
	return s
}

// sourceOf returns the valid matrix m as a source, the whole of M.
func sourceOf[T Float](m Matrix[T]) (source[T], error) {
	s, err := inMemory(m)
	if err != nil {
		return s, err
	}
	return s.undivided(), nil
}

// inMemory returns the valid matrix m, which may be a part of M, as a source.
func inMemory[T Float](m Matrix[T]) (source[T], error) {
	switch m := m.(type) {
	case nil:
		return source[T]{}, fmt.Errorf("%w: M is nil", ErrShape)
	case Stored[T]:
		return source[T]{}, core.Bad("M is stored, which is for Factor, FactorFrom and Continue; read it into memory")
	case Dense[T]:
		return source[T]{rows: m.Rows, cols: m.Cols, stored: m}, matrix.Check("M", m)
	case Strided[T]:
		if err := m.validate("M"); err != nil {
			return source[T]{}, err
		}
		switch {
		case m.ColStride == 1 && m.RowStride >= m.Cols:
			return source[T]{rows: m.Rows, cols: m.Cols, stored: Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.RowStride}}, nil
		case m.RowStride == 1 && m.ColStride >= m.Rows:
			return source[T]{rows: m.Rows, cols: m.Cols, stored: Dense[T]{Rows: m.Cols, Cols: m.Rows, Data: m.Data, Stride: m.ColStride}, turned: true}, nil
		}
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return source[T]{}, err
	}
	d := NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = m.At(i, j)
		}
	}
	return source[T]{rows: rows, cols: cols, stored: d}, nil
}

// partOf returns the part m of a matrix that one of several processes has.
func partOf[T Float](m Matrix[T], p Processes, part core.Part) (source[T], error) {
	if _, stored := m.(Stored[T]); stored {
		return source[T]{}, core.Bad("a stored matrix of which processes have parts; give each of them its part in memory, or choose one process")
	}
	rows, cols := 0, 0
	if m != nil {
		rows, cols = m.Dims()
	}
	s, err := partIn[T](rows, cols, p, part)
	if err != nil || rows == 0 || cols == 0 {
		s.stored = Dense[T]{Rows: rows, Cols: cols, Stride: cols, Data: []T{}}
		return s, err
	}
	given, err := inMemory(m)
	given.part, given.share = s.part, s.share
	return given, err
}

// partIn returns the shape of a part, and checks that it is that of the process.
func partIn[T Float](rows, cols int, p Processes, part core.Part) (source[T], error) {
	if p.Rank() < 0 || p.Rank() >= p.Size() {
		return source[T]{}, core.Bad("process %d of %d", p.Rank(), p.Size())
	}
	s := source[T]{rows: rows, cols: cols, part: part, share: group.ForRows(p, max(part.Whole, 1))}
	m, n := s.whole()
	have, other, what := rows, cols, "rows"
	if part.Columns {
		have, other, what = cols, rows, "columns"
	}
	first, last := Share(part.Whole, 0, p.Rank(), p.Size())
	switch {
	case part.Whole < 1 || other < 1:
		return s, fmt.Errorf("%w: M is %d x %d and of %d %s in whole; set Settings.Part, and give a part without %s the other side of M as well", ErrShape, rows, cols, part.Whole, what, what)
	case part.Columns != (n > m):
		return s, fmt.Errorf("%w: process %d has %s of a %d x %d matrix; processes have parts of the longer side, see Share", ErrShape, p.Rank(), what, m, n)
	case part.First != first || have != last-first:
		return s, fmt.Errorf("%w: process %d of %d has %d %s from %d on (counted from 0) of a %d x %d matrix; want %d from %d on, see Share", ErrShape, p.Rank(), p.Size(), have, what, part.First, m, n, last-first, first)
	}
	return s, nil
}

// arranged returns M, or Mᵀ if transposed, where it lies; ok is false if it lies the
// other way round, or if entries are missing, whatever they hold.
func (s source[T]) arranged(transposed bool) (m Dense[T], ok bool) {
	return s.stored, s.turned == transposed && !s.masked()
}

// copyTo copies rows [i0, i1) of M, or of Mᵀ if transposed, to those of dst.
func (s source[T]) copyTo(dst Dense[T], transposed bool, i0, i1 int) {
	part := dst.Slice(i0, i1, 0, dst.Cols)
	if s.turned != transposed {
		matrix.Transpose(part, s.stored.Slice(0, s.stored.Rows, i0, i1))
	} else {
		matrix.CopyRows(part, s.stored.Slice(i0, i1, 0, dst.Cols))
	}
	seen := s.mask
	if transposed {
		seen = seen.turned()
	}
	clearMissing(part, seen.rows, i0, 0)
}

// arrange returns M, or Mᵀ if transposed: a copy unless it lies so.
func (s source[T]) arrange(transposed bool) Dense[T] {
	m, ok := s.arranged(transposed)
	if !ok {
		rows, cols := s.rows, s.cols
		if transposed {
			rows, cols = cols, rows
		}
		m = kernel.NewMatrix[T](rows, cols)
		s.copyTo(m, transposed, 0, rows)
	}
	return m
}

// slice returns rows [i0, i1) of columns [j0, j1) of M; i0 and j0 are multiples of 8.
func (s source[T]) slice(i0, i1, j0, j1 int) source[T] {
	part := source[T]{rows: i1 - i0, cols: j1 - j0, turned: s.turned, mask: s.mask.slice(i0, i1, j0, j1)}
	if s.turned {
		part.stored = s.stored.Slice(j0, j1, i0, i1)
	} else {
		part.stored = s.stored.Slice(i0, i1, j0, j1)
	}
	return part
}

// columns copies columns [j, j + dst.Rows) of M to the rows of dst.
func (s source[T]) columns(dst Dense[T], j int) {
	if s.turned {
		matrix.CopyRows(dst, s.stored.Slice(j, j+dst.Rows, 0, s.rows))
	} else {
		matrix.Transpose(dst, s.stored.Slice(0, s.rows, j, j+dst.Rows))
	}
	clearMissing(dst, s.mask.cols, j, 0)
}

// column returns column j of M, perhaps in scratch.
func (s source[T]) column(j int, scratch []T) []T {
	if s.turned && !s.masked() {
		return s.stored.Row(j)
	}
	s.columns(Dense[T]{Rows: 1, Cols: s.rows, Data: scratch, Stride: s.rows}, j)
	return scratch
}

// eachRow calls do for every row of M, one after the other, until it returns an
// error. The row is gone after the call.
func (s source[T]) eachRow(do func(i int, row []T) error) error {
	const together = 16 // rows that are copied at once
	var copied Dense[T]
	if s.turned || s.masked() {
		copied = kernel.NewMatrix[T](together, s.cols)
	}
	for i := range s.rows {
		var row []T
		if copied.Rows > 0 {
			if i%together == 0 {
				end := min(i+together, s.rows)
				s.slice(i, end, 0, s.cols).copyTo(copied.Slice(0, end-i, 0, s.cols), false, 0, end-i)
			}
			row = copied.Row(i % together)
		} else {
			row = s.stored.Row(i)
		}
		if err := do(i, row); err != nil {
			return err
		}
	}
	return nil
}
