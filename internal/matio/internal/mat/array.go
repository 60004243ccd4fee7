package mat

import (
	"fmt"
	"math"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// header reads the head of an array: flags, dimensions, name. It returns nil for an element
// that holds no array.
func (m *file) header(off, size int64, packed bool) (*variable, error) {
	if size == 0 {
		return nil, nil // as MATLAB writes for an empty part
	}
	v := &variable{off: off, size: size, packed: packed}
	if packed {
		defer m.f.In(fmt.Sprintf("compressed array at byte %d", off))()
	}
	r, err := m.content(v)
	if err != nil {
		return nil, err
	}
	return v, m.describe(r, v)
}

// describe reads the head of the array v, at which r stands.
func (m *file) describe(r *reader, v *variable) error {
	flags, err := r.small("the array's flags", miUint32, 8)
	if err != nil {
		return err
	}
	if len(flags) != 8 {
		return r.bad("the array flags have %d bytes: want 8", len(flags))
	}
	word := m.order.Uint32(flags)
	v.class, v.complex, v.logical = byte(word), word&0x800 != 0, word&0x200 != 0
	if v.class == 17 { // opaque: no dimensions follow, and the name of the class as well
		name, err := r.small("the name", miInt8, 4096)
		v.name = string(name)
		return err
	}
	dims, err := r.small("the dimensions", miInt32, 4*64)
	if err != nil {
		return err
	}
	for ; len(dims) >= 4; dims = dims[4:] {
		d := int32(m.order.Uint32(dims))
		if d < 0 {
			return r.bad("the dimension %d is negative", d)
		}
		v.dims = append(v.dims, int64(d))
	}
	if len(dims) != 0 || len(v.dims) < 2 {
		return r.bad("the array has %d dimensions: want 2 or more", len(v.dims))
	}
	name, err := r.small("the name", miInt8, 4096)
	if err != nil {
		return err
	}
	v.name = string(name)
	v.body = r.pos
	if v.class == mxUint8 && v.logical {
		// Octave gives a sparse logical matrix this class. Its first part are row
		// indices, as many as the flags say, where a dense one has bytes.
		nzmax := int64(m.order.Uint32(flags[4:]))
		if e, err := r.tag(); err == nil && e.kind == miInt32 && nzmax > 0 && e.size == 4*nzmax {
			v.class = mxSparse
		}
	}
	return nil
}

// use makes v the matrix of the file.
func (m *file) use(v *variable) error {
	f := m.f
	if !v.usable() {
		return f.Unsupported("variable %v: want a real numeric matrix of two dimensions, or a cube of three", v)
	}
	f.In("variable " + v.name) // until the file is closed
	f.ByColumns = true
	a := &array{m: m, v: v}
	if v.class == mxSparse {
		s := &sparse{array: a}
		f.Sparse = s
		if _, err := f.SetDims(v.dims[0], v.dims[1]); err != nil {
			return err
		}
		if r, err := m.at(v); err == nil {
			if e, dt, err := r.numeric("the row indices"); err == nil {
				s.listed = e.size / int64(dt.Size)
			}
		}
		return nil // Entries reports errors in the entries
	}
	var n int64
	var err error
	f.Dense = a
	if v.isCube() {
		n, err = f.SetCube(v.dims[0], v.dims[1], v.dims[2])
		f.Dense, f.ByColumns = input.TransposedCube{File: f, Of: a}, false
	} else {
		n, err = f.SetDims(v.dims[0], v.dims[1])
	}
	if err != nil {
		return err
	}
	r, err := m.at(v)
	if err != nil {
		return err
	}
	e, dt, err := r.numeric("the data")
	if err != nil {
		return err
	}
	if size, ok := element.Mul(n, int64(dt.Size)); !ok || size != e.size {
		return r.bad("the array claims %d x %d elements of type %v, but has %d bytes of data", f.Rows, f.Cols, dt, e.size)
	}
	return r.last(e)
}

// array is the matrix in use.
type array struct {
	m *file
	v *variable
}

// Verify inflates the array once if it claims to be much larger than the file.
func (a *array) Verify() error {
	v := a.v
	if !v.packed || !input.Implausible(v.length, v.size) {
		return nil
	}
	r, err := a.m.content(v)
	if err != nil {
		return err
	}
	return r.skip(v.length)
}

func (a *array) Open() (input.Source, error) {
	r, err := a.m.at(a.v)
	if err != nil {
		return nil, err
	}
	_, dt, err := r.numeric("the data")
	if err != nil {
		return nil, err
	}
	return r.numbers(dt), nil
}

// sparse is the matrix in use if it is sparse.
type sparse struct {
	*array
	listed int64 // entries
}

func (s *sparse) Count() int64 { return s.listed }

func (s *sparse) Order() input.Order { return input.AtOnce }

func (s *sparse) Single() bool { return false }

func (s *sparse) Each(do func(i, j int32, v float64) error) error {
	e, err := s.Entries()
	if err != nil {
		return err
	}
	return e.Each(do)
}

// Entries reads a sparse matrix: row indices, pointers to columns, values. Indices and values
// may be longer than the last pointer says.
func (a *sparse) Entries() (e input.Entries, err error) {
	f := a.m.f
	// No entry takes less than half of its bytes in the file.
	if err := f.Fits(a.v.bytes()/2, input.Reading); err != nil {
		return e, err
	}
	if err := a.Verify(); err != nil {
		return e, err
	}
	r, err := a.m.at(a.v)
	if err != nil {
		return e, err
	}
	part := func(what string, do func(s *input.Numbers, n int64) error) {
		if err != nil {
			return
		}
		var el tag
		var dt element.Type
		if el, dt, err = r.numeric(what); err != nil {
			return
		}
		s := r.numbers(dt)
		start := s.Offset
		if err = do(s, el.size/int64(dt.Size)); err == nil {
			r.pos += s.Offset - start
			err = r.skip(el.next)
		}
	}
	part("the row indices", func(s *input.Numbers, n int64) error {
		if s.Type.Kind == 'f' {
			return r.bad("the row indices have type %v: want integers", s.Type)
		}
		if e.Minor, err = input.Alloc[int32](f, n); err != nil {
			return err
		}
		return s.EachInt(n, func(i int, v int64) error {
			// The last ones may be unused, so they are checked below.
			e.Minor[i] = int32(min(max(v, -1), math.MaxInt32))
			return nil
		})
	})
	part("the column pointers", func(s *input.Numbers, n int64) (err error) {
		if s.Type.Kind == 'f' || n != int64(f.Cols)+1 {
			return r.bad("%d column pointers of type %v: want %d integers, one more than columns", n, s.Type, int64(f.Cols)+1)
		}
		e.Ptr, _, err = f.Pointers(s, "jc", 0, int64(f.Cols), int64(len(e.Minor)))
		return err
	})
	if err != nil {
		return input.Entries{}, err
	}
	nnz := e.Ptr[f.Cols]
	e.Minor = e.Minor[:nnz]
	for k, i := range e.Minor {
		if i < 0 || int(i) >= f.Rows {
			return input.Entries{}, r.bad("row index ir[%d] is outside 0 to %d", k, f.Rows-1)
		}
	}
	if nnz > 0 {
		part("the values", func(s *input.Numbers, n int64) (err error) {
			if n < int64(nnz) {
				return r.bad("%d values for %d entries: want one for each", n, nnz)
			}
			e.Val, err = f.EntryValues(s, int64(nnz))
			return err
		})
		if err == nil {
			err = r.last(tag{next: r.pos})
		}
	}
	if err == nil && r.done != nil {
		err = r.done()
	}
	if err != nil {
		return input.Entries{}, err
	}
	return e, nil
}
