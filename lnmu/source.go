package lnmu

import (
	"fmt"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/source"
)

// Matrix is a matrix M to be factored: a Dense, a Strided, a CSR, a Stored or a StoredCSR. Any
// other matrix is copied to a dense one. An Observed and a Part are matrices that wrap another
// one.
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

// Dims returns the number of rows and columns.
func (s Strided[T]) Dims() (rows, cols int) { return s.Rows, s.Cols }

// At returns entry (i, j). It panics if it lies outside Data.
func (s Strided[T]) At(i, j int) T { return s.Data[i*s.RowStride+j*s.ColStride] }

// unwrap takes a matrix apart: into the one that holds the entries, and what an Observed and
// a Part around it say.
func unwrap[T Float](m Matrix[T]) (inner Matrix[T], o outline.Matrix, err error) {
	wrapped := [2]bool{} // by an Observed, by a Part
	for {
		switch w := m.(type) {
		case nil:
			return nil, o, fmt.Errorf("%w: M is nil", ErrShape)
		case Observed[T]:
			if wrapped[0] {
				return nil, o, core.Bad("M is an Observed of an Observed; give both masks together, see Mask.And")
			}
			wrapped[0] = true
			o.Entries, o.StoredOnly = entriesOf(w.Mask, w.Weights), w.StoredOnly
			m = w.Matrix
		case Part[T]:
			switch {
			case wrapped[1]:
				return nil, o, core.Bad("M is a Part of a Part")
			case w.Processes == nil:
				return nil, o, core.Bad("a Part without Processes; name them, or give M itself")
			}
			wrapped[1] = true
			o.Processes, o.Rows, o.Cols = w.Processes, w.Rows, w.Cols
			m = w.Matrix
		default:
			rows, cols := m.Dims()
			if !wrapped[1] {
				o.Rows, o.Cols = rows, cols
				o.Own = core.Window{Rows: group.Span{To: rows}, Cols: group.Span{To: cols}}
				return m, o, nil
			}
			_, stored := m.(StoredCSR[T])
			return m, o, o.Place(rows, cols, stored)
		}
	}
}

// whole returns the matrix m, which no process shares, as a source in memory.
func whole[T Float](m Matrix[T]) (source.Dense[T], outline.Matrix, error) {
	m, o, err := unwrap(m)
	if err != nil {
		return source.Dense[T]{}, o, err
	}
	if o.Processes != nil {
		return source.Dense[T]{}, o, core.Bad("the part of a process; this is for Factor and FactorFrom")
	}
	s, err := inMemory(m)
	if err != nil {
		return s, o, err
	}
	return s.Undivided(), o, nil
}

// sourceOf returns a dense matrix as a source.
func sourceOf[T Float](m Matrix[T], o outline.Matrix) (s source.Dense[T], err error) {
	switch stored, ok := m.(Stored[T]); {
	case ok:
		s, err = storedSource(stored, o)
	case o.Processes != nil && (o.Own.Rows.Len() == 0 || o.Own.Cols.Len() == 0):
		s.Rows, s.Cols = o.Own.Rows.Len(), o.Own.Cols.Len()
		s.Memory = Dense[T]{Rows: s.Rows, Cols: s.Cols, Stride: s.Cols, Data: []T{}}
	default:
		s, err = inMemory(m)
	}
	if err != nil {
		return s, err
	}
	s.Part, s.Share = o.Part(), group.ForRows(o.Comm(), max(o.Rows, o.Cols))
	return s, nil
}

// inMemory returns the valid matrix m, which may be a part of M, as a source in memory.
func inMemory[T Float](m Matrix[T]) (source.Dense[T], error) {
	switch m := m.(type) {
	case Stored[T]:
		return source.Dense[T]{}, core.Bad("M is stored, which is for Factor, FactorFrom and Continue; read it into memory")
	case CSR[T]:
		if err := m.Validate(); err != nil {
			return source.Dense[T]{}, err
		}
		return source.Dense[T]{Rows: m.Rows, Cols: m.Cols, Memory: m.Dense()}, nil
	case Dense[T]:
		return source.Dense[T]{Rows: m.Rows, Cols: m.Cols, Memory: m}, matrix.Check("M", m)
	case Strided[T]:
		if err := matrix.CheckStrided("M", m.Rows, m.Cols, m.RowStride, m.ColStride, len(m.Data)); err != nil {
			return source.Dense[T]{}, err
		}
		switch {
		case m.ColStride == 1 && m.RowStride >= m.Cols:
			return source.Dense[T]{Rows: m.Rows, Cols: m.Cols, Memory: Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.RowStride}}, nil
		case m.RowStride == 1 && m.ColStride >= m.Rows:
			return source.Dense[T]{Rows: m.Rows, Cols: m.Cols, Memory: Dense[T]{Rows: m.Cols, Cols: m.Rows, Data: m.Data, Stride: m.ColStride}, ByColumns: true}, nil
		}
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return source.Dense[T]{}, err
	}
	d := NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = m.At(i, j)
		}
	}
	return source.Dense[T]{Rows: rows, Cols: cols, Memory: d}, nil
}
