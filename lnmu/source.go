package lnmu

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"nmu/internal/combination"
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

// Matrix is a matrix M to be factored: a Dense, a Strided, a CSR, or in files: see StoredFrom and StoredCSRFrom. Any
// other matrix is copied to a dense one. An Observed wraps another matrix, and so does the part of a process
// (package distributed). A pointer to one of these types stands for its value. A struct that embeds one is refused,
// because its Dims and At hide what M is.
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
// the part of a process around it say.
func unwrap[T Float](m Matrix[T]) (inner Matrix[T], o outline.Matrix, err error) {
	wrapped := [2]bool{} // by an Observed, by the part of a process
	for {
		if m, err = valueOf("M", m); err != nil {
			return nil, o, err
		}
		switch w := m.(type) {
		case Observed[T]:
			if wrapped[0] {
				return nil, o, fault.Bad("M is an Observed of an Observed; give both masks together, see Mask.And")
			}
			wrapped[0] = true
			if o.Entries, err = entriesOf(w.Mask, w.Weights); err != nil {
				return nil, o, err
			}
			if w.Weights == nil {
				if !(w.Weight >= 0) || math.IsInf(w.Weight, 1) {
					return nil, o, fault.Bad("the weight of all entries is %v; choose a number above 0, or 0 for none", w.Weight)
				}
				o.Entries.Largest = w.Weight
			}
			o.StoredOnly = w.StoredOnly
			m = w.Matrix
		case outline.Part[T]:
			switch {
			case wrapped[1]:
				return nil, o, fault.Bad("M is a part of a part")
			case w.Processes == nil:
				return nil, o, fault.Bad("a part without Processes; name them, or give M itself")
			}
			wrapped[1] = true
			o.Processes, o.Rows, o.Cols = w.Processes, w.Rows, w.Cols
			m = w.Any
		default:
			rows, cols := m.Dims()
			if !wrapped[1] {
				o.Rows, o.Cols = rows, cols
				o.Own = core.Window{Rows: group.Span{To: rows}, Cols: group.Span{To: cols}}
				return m, o, matrix.CheckDims("M", rows, cols)
			}
			_, stored := m.(storedCSR[T])
			return m, o, o.Divide(rows, cols, stored)
		}
	}
}

// valueOf returns m, or what it points to if that is a type of this package. It refuses nil, and a
// matrix that hides another one.
func valueOf[T Float](name string, m Matrix[T]) (Matrix[T], error) {
	x := reflect.ValueOf(m)
	switch pointer := x.Kind() == reflect.Pointer; {
	case !x.IsValid() || pointer && x.IsNil():
		return nil, fmt.Errorf("%w: %s is nil", ErrShape, name)
	case pointer:
		switch v := x.Elem().Interface().(type) {
		case Observed[T], CSR[T], Dense[T], Strided[T], Unread[T]:
			m = v.(Matrix[T])
		}
	}
	hidden := []reflect.Type{reflect.TypeFor[special](), reflect.TypeFor[outline.Parted](), reflect.TypeFor[storedDense[T]](), reflect.TypeFor[storedCSR[T]]()}
	switch m.(type) {
	case Observed[T], outline.Part[T], CSR[T], Unread[T]:
		return m, nil
	case storedDense[T], storedCSR[T]: // which says itself what it is
		hidden = nil
	}
	return m, checkEmbedded(fmt.Sprintf("%s, a %T,", name, m), reflect.ValueOf(m), hidden)
}

// special is a matrix that means more than its entries. A struct that embeds one has this method too.
type special interface{ special() }

func (Observed[T]) special() {}
func (CSR[T]) special()      {}
func (Unread[T]) special()   {}

// checkEmbedded returns an error if a matrix of another package is of a hidden type, or embeds one or nil:
// by its type, or in a field whose type is an interface.
func checkEmbedded(name string, x reflect.Value, hidden []reflect.Type) error {
	for {
		refers := x.Kind() == reflect.Pointer || x.Kind() == reflect.Interface
		switch {
		case refers && x.IsNil():
			return fmt.Errorf("%w: %s embeds nil", ErrShape, name)
		case slices.ContainsFunc(hidden, x.Type().Implements):
			return fault.Bad("%s hides what the matrix that it embeds is; give that matrix", name)
		}
		if !refers {
			break
		}
		x = x.Elem()
	}
	if x.Kind() != reflect.Struct {
		return nil
	}
	for i := range x.NumField() {
		f := x.Type().Field(i)
		if f.Anonymous && f.Type.Implements(reflect.TypeFor[sized]()) {
			if err := checkEmbedded(name, x.Field(i), hidden); err != nil {
				return err
			}
		}
	}
	return nil
}

// sized is any matrix, of any type of element.
type sized interface{ Dims() (rows, cols int) }

// checkMemory returns an error unless a matrix in memory has all entries that it claims.
func checkMemory[T Float](name string, m Matrix[T]) error {
	switch m := m.(type) {
	case Dense[T]:
		return matrix.Check(name, m)
	case Strided[T]:
		return matrix.CheckStrided(name, m.Rows, m.Cols, m.RowStride, m.ColStride, len(m.Data))
	case CSR[T]:
		return tiles.CSR[T](m).Validate(name, false)
	}
	rows, cols := m.Dims()
	return matrix.CheckDims(name, rows, cols)
}

// operand is the matrix of this process as the engine takes it, without what wraps it.
type operand[T Float] struct {
	run.Form
	dense  source.Given[T]
	csr    CSR[T]       // if it is sparse, and in memory
	stored storedCSR[T] // if it is sparse, and in files
}

// operandOf returns the valid matrix m, which may be a part of M. If asDense is true, a CSR is
// copied to a dense matrix.
func operandOf[T Float](m Matrix[T], o outline.Matrix, asDense bool) (x operand[T], err error) {
	csr, inMemory := m.(CSR[T])
	stored, inFiles := m.(storedCSR[T])
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
func checkStored[T Float](m storedCSR[T], o outline.Matrix) error {
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
		return engine.Of[T]().OpenDense(s, plan, x.dense, o.Part(), o.Entries, exact), nil
	case !x.Files:
		return engine.Of[T]().OpenSparse(s, plan, o.Rows, o.Cols, o.Part(), tiles.CSR[T](x.csr), o.StoredOnly)
	}
	if err := o.AgreeShared(x.stored.Dims()); err != nil {
		return nil, err
	}
	return engine.Of[T]().OpenSparseFiles(s, plan, o.Part(), tiles.Reader[T](stored[T]{x.stored}), o.Shared, o.StoredOnly), nil
}

// givenOf returns the valid dense matrix m, which may be a part of M.
func givenOf[T Float](m Matrix[T], o outline.Matrix) (x source.Given[T], err error) {
	rows, cols := o.Own.Rows.Len(), o.Own.Cols.Len()
	stored, ok := m.(storedDense[T])
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
	if err := checkMemory("M", m); err != nil {
		return source.Given[T]{}, err
	}
	x, ok := inPlace(m)
	switch m := m.(type) {
	case storedDense[T]:
		return x, fault.Bad("M is stored, which is for Factor, FactorFrom and Continue; read it into memory")
	case Unread[T]:
		return x, fault.Unread()
	case CSR[T]:
		x.Memory = m.Dense()
	default:
		if !ok {
			x.Memory = matrix.ByRows(m)
		}
	}
	return x, nil
}

// inPlace returns m as the engine takes it, or, if ok is false, what a copy of it will be, without entries.
func inPlace[T Float](m Matrix[T]) (x source.Given[T], ok bool) {
	rows, cols := m.Dims()
	x = source.Given[T]{Rows: rows, Cols: cols, Memory: Dense[T]{Rows: rows, Cols: cols, Stride: cols}}
	byColumns := func(data []T, stride int) (source.Given[T], bool) {
		return source.Given[T]{Rows: rows, Cols: cols, Memory: Dense[T]{Rows: cols, Cols: rows, Data: data, Stride: stride}, ByColumns: true}, true
	}
	switch m := m.(type) {
	case Dense[T]:
		x.Memory, ok = m, true
	case Unread[T]:
		if ok = true; m.ByColumns {
			return byColumns(nil, rows)
		}
	case Strided[T]:
		switch {
		case m.ColStride == 1 && m.RowStride >= m.Cols:
			x.Memory.Data, x.Memory.Stride, ok = m.Data, m.RowStride, true
		case m.RowStride == 1 && m.ColStride >= m.Rows:
			return byColumns(m.Data, m.ColStride)
		}
	}
	return x, ok
}
