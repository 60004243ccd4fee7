package lnmu

import (
	"fmt"
	"math"
	"unsafe"

	"nmu/lnmu/internal/combination"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/engine"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/tiles"
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
				return nil, o, fault.Bad("M is an Observed of an Observed; give both masks together, see Mask.And")
			}
			wrapped[0] = true
			o.Entries, o.StoredOnly = entriesOf(w.Mask, w.Weights), w.StoredOnly
			m = w.Matrix
		case Part[T]:
			switch {
			case wrapped[1]:
				return nil, o, fault.Bad("M is a Part of a Part")
			case w.Processes == nil:
				return nil, o, fault.Bad("a Part without Processes; name them, or give M itself")
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
			return m, o, o.Divide(rows, cols, stored)
		}
	}
}

// operand is the matrix of this process as the engine takes it, without what wraps it.
type operand[T Float] struct {
	run.Form
	dense  source.Given[T]
	csr    CSR[T]       // if it is sparse, and in memory
	stored StoredCSR[T] // if it is sparse, and in files
}

// operandOf returns the valid matrix m, which may be a part of M. If asDense is true, a CSR is
// copied to a dense matrix.
func operandOf[T Float](m Matrix[T], o outline.Matrix, asDense bool) (x operand[T], err error) {
	csr, inMemory := m.(CSR[T])
	stored, inFiles := m.(StoredCSR[T])
	switch {
	case inMemory && !asDense:
		x.Sparse, x.csr = true, csr
		err = o.Own.Located(tiles.CSR[T](csr).Validate("M", csr.Rows < o.Rows || csr.Cols < o.Cols))
	case inFiles:
		x.Form, x.stored = run.Form{Sparse: true, Files: true}, stored
		err = checkStored(stored, o)
	default:
		x.dense, err = givenOf(m, o)
		x.Files = x.dense.Reader != nil
	}
	if err == nil && x.Sparse && max(o.Rows, o.Cols) > math.MaxInt32 {
		err = tiles.TooLong("M", o.Rows, o.Cols)
	}
	return x, err
}

// checkStored checks what a sparse matrix in files claims.
func checkStored[T Float](m StoredCSR[T], o outline.Matrix) error {
	if err := matrix.CheckDims("M", o.Rows, o.Cols); err != nil {
		return err
	}
	rows, cols := m.Dims()
	if n := m.Entries(); n < 0 || rows > 0 && n/rows > cols || n > math.MaxInt/64 {
		return fmt.Errorf("%w: M is %d x %d and claims %d entries", ErrShape, rows, cols, n)
	}
	return nil
}

// check returns an error about what a method and settings ask for and M does not have.
func (x operand[T]) check(p resolved, s Settings, supports bool) error {
	at := &combination.InFull
	switch {
	case !x.Sparse && x.Files:
		at = &combination.InFiles
	case !x.Sparse:
	case p.Processes != nil:
		at = &combination.SparseInParts
	case p.StoredOnly:
		at = &combination.StoredOnly
	default:
		at = &combination.Sparse
	}
	if err := p.check(at, s, supports); err != nil || !x.Sparse {
		return err
	}
	if err := (method.Lagrangian{ZeroMultiplier: p.lagrange.ZeroMultiplier}).CheckZeroMultiplier(s.Iterations); err != nil || !x.Files {
		return err
	}
	return p.check(&combination.SparseInFiles, s, supports)
}

// open returns the operand for a run. All processes call it.
func (x operand[T]) open(s core.Session, plan core.Plan, o outline.Matrix, exact bool) (source.Opened[T], error) {
	switch {
	case !x.Sparse:
		return engine.OpenDense(s, plan, x.dense, o.Part(), o.Entries, exact), nil
	case !x.Files:
		return engine.OpenSparse(s, plan, o.Rows, o.Cols, o.Part(), tiles.CSR[T](x.csr), o.StoredOnly)
	}
	if err := o.AgreeShared(x.stored.Dims()); err != nil {
		return nil, err
	}
	return engine.OpenSparseFiles(s, plan, o.Part(), tiles.Reader[T](stored[T]{x.stored}), o.Shared, o.StoredOnly), nil
}

// undivided refuses the part of a process.
func undivided(o outline.Matrix) error {
	if o.Processes != nil {
		return fault.Bad("the part of a process; this is for Factor and FactorFrom")
	}
	return nil
}

// givenOf returns the valid dense matrix m, which may be a part of M.
func givenOf[T Float](m Matrix[T], o outline.Matrix) (x source.Given[T], err error) {
	rows, cols := o.Own.Rows.Len(), o.Own.Cols.Len()
	stored, ok := m.(Stored[T])
	switch {
	case !ok && o.Processes != nil && (rows == 0 || cols == 0):
		return source.Given[T]{Rows: rows, Cols: cols, Memory: Dense[T]{Rows: rows, Cols: cols, Stride: cols, Data: []T{}}}, nil
	case !ok:
		return inMemory(m)
	}
	if err := matrix.CheckDims("M", o.Rows, o.Cols); err != nil {
		return x, err
	}
	if o.Rows > math.MaxInt/o.Cols/int(unsafe.Sizeof(T(0))) {
		return x, fmt.Errorf("%w: M is %d x %d, more than can be counted", ErrShape, o.Rows, o.Cols)
	}
	x.Rows, x.Cols = m.Dims()
	x.Reader, x.ByColumns = stored, o.Cols > o.Rows
	return x, nil
}

// inMemory returns the valid matrix m, which may be a part of M, as a dense one in memory.
func inMemory[T Float](m Matrix[T]) (source.Given[T], error) {
	none := source.Given[T]{}
	rows, cols := m.Dims()
	switch m := m.(type) {
	case Stored[T]:
		return none, fault.Bad("M is stored, which is for Factor, FactorFrom and Continue; read it into memory")
	case CSR[T]:
		if err := m.Validate(); err != nil {
			return none, err
		}
		return source.Given[T]{Rows: rows, Cols: cols, Memory: m.Dense()}, nil
	case Dense[T]:
		return source.Given[T]{Rows: rows, Cols: cols, Memory: m}, matrix.Check("M", m)
	case Strided[T]:
		if err := matrix.CheckStrided("M", m.Rows, m.Cols, m.RowStride, m.ColStride, len(m.Data)); err != nil {
			return none, err
		}
		switch {
		case m.ColStride == 1 && m.RowStride >= m.Cols:
			return source.Given[T]{Rows: m.Rows, Cols: m.Cols, Memory: Dense[T]{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.RowStride}}, nil
		case m.RowStride == 1 && m.ColStride >= m.Rows:
			return source.Given[T]{Rows: m.Rows, Cols: m.Cols, Memory: Dense[T]{Rows: m.Cols, Cols: m.Rows, Data: m.Data, Stride: m.ColStride}, ByColumns: true}, nil
		}
	}
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return none, err
	}
	d := NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = m.At(i, j)
		}
	}
	return source.Given[T]{Rows: rows, Cols: cols, Memory: d}, nil
}
