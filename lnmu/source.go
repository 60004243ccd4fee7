package lnmu

import (
	"fmt"
	"math/bits"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Matrix is a matrix M to be factored: a Dense, a Strided, a CSR, a Stored, a StoredCSR, or
// any other, which is copied to a dense one.
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

// sourceOf returns the valid matrix m as a source, the whole of M.
func sourceOf[T Float](m Matrix[T]) (dense.Source[T], error) {
	s, err := inMemory(m)
	if err != nil {
		return s, err
	}
	return s.Undivided(), nil
}

// inMemory returns the valid matrix m, which may be a part of M, as a source.
func inMemory[T Float](m Matrix[T]) (dense.Source[T], error) {
	switch m := m.(type) {
	case nil:
		return dense.Source[T]{}, fmt.Errorf("%w: M is nil", ErrShape)
	case Stored[T]:
		return dense.Source[T]{}, core.Bad("M is stored, which is for Factor, FactorFrom and Continue; read it into memory")
	case CSR[T]:
		if err := m.Validate(); err != nil {
			return dense.Source[T]{}, err
		}
		return dense.Source[T]{Rows: m.Rows, Cols: m.Cols, Memory: m.Dense()}, nil
	case Dense[T]:
		return dense.Source[T]{Rows: m.Rows, Cols: m.Cols, Memory: m}, matrix.Check("M", m)
	case Strided[T]:
		if err := m.validate("M"); err != nil {
			return dense.Source[T]{}, err
		}
		switch {
		case m.ColStride == 1 && m.RowStride >= m.Cols:
			return dense.Source[T]{Rows: m.Rows, Cols: m.Cols, Memory: Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.RowStride}}, nil
		case m.RowStride == 1 && m.ColStride >= m.Rows:
			return dense.Source[T]{Rows: m.Rows, Cols: m.Cols, Memory: Dense[T]{Rows: m.Cols, Cols: m.Rows, Data: m.Data, Stride: m.ColStride}, ByColumns: true}, nil
		}
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return dense.Source[T]{}, err
	}
	d := NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = m.At(i, j)
		}
	}
	return dense.Source[T]{Rows: rows, Cols: cols, Memory: d}, nil
}

// sourceFor returns the valid matrix m, or the part of one that this process has, as a source.
func sourceFor[T Float](m Matrix[T], s *Settings) (dense.Source[T], error) {
	if s == nil || s.Processes == nil {
		return storedOr(m)
	}
	return partOf(m, s.Processes, core.Part(s.Part))
}

// partOf returns the part m of a matrix that one of several processes has.
func partOf[T Float](m Matrix[T], p Processes, part core.Part) (dense.Source[T], error) {
	rows, cols := 0, 0
	x, stored := m.(Stored[T])
	switch {
	case stored && x.Reader == nil:
		return dense.Source[T]{}, noReader()
	case m != nil:
		rows, cols = m.Dims()
	}
	s, err := partIn[T](rows, cols, p, part)
	if stored {
		s.Reader, s.ByColumns = x.Reader, part.Columns
		if err == nil {
			err = countable[T](s.Whole())
		}
		return s, err
	}
	if err != nil || rows == 0 || cols == 0 {
		s.Memory = Dense[T]{Rows: rows, Cols: cols, Stride: cols, Data: []T{}}
		return s, err
	}
	given, err := inMemory(m)
	given.Part, given.Share = s.Part, s.Share
	return given, err
}

// partIn returns the shape of a part, and checks that it is that of the process.
func partIn[T Float](rows, cols int, p Processes, part core.Part) (dense.Source[T], error) {
	if p.Rank() < 0 || p.Rank() >= p.Size() {
		return dense.Source[T]{}, core.Bad("process %d of %d", p.Rank(), p.Size())
	}
	s := dense.Source[T]{Rows: rows, Cols: cols, Part: part, Share: group.ForRows(p, max(part.Whole, 1))}
	m, n := s.Whole()
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
