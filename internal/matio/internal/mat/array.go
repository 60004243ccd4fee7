package mat

import (
	"fmt"

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
	flags := r.small("the array's flags", miUint32, 8)
	if len(flags) != 8 {
		return r.bad("the array flags have %d bytes: want 8", len(flags))
	}
	word := m.order.Uint32(flags)
	v.class, v.complex, v.logical = byte(word), word&0x800 != 0, word&0x200 != 0
	if v.class == 17 { // opaque: no dimensions follow, and the name of the class as well
		v.name = string(r.small("the name", miInt8, 4096))
		return r.err
	}
	dims := r.small("the dimensions", miInt32, 4*64)
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
	v.name = string(r.small("the name", miInt8, 4096))
	if v.body = r.pos; r.err == nil && v.class == mxUint8 && v.logical {
		// Octave gives a sparse logical matrix this class. Its first part are row
		// indices, as many as the flags say, where a dense one has bytes.
		nzmax := int64(m.order.Uint32(flags[4:]))
		if e := r.tag(); r.err == nil && e.kind == miInt32 && nzmax > 0 && e.size == 4*nzmax {
			v.class = mxSparse
		}
		return nil // what is wrong with the part shows when it is read
	}
	return r.err
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
		return a.useSparse()
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
	e, dt := r.numeric("the data")
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
	if err := a.Verify(); err != nil {
		return nil, err
	}
	r, err := a.m.at(a.v)
	if err != nil {
		return nil, err
	}
	_, dt := r.numeric("the data")
	return r.numbers(dt), r.err
}
