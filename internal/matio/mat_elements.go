package matio

import (
	"encoding/binary"
	"fmt"
	"math"
)

// matElement is the tag of a part of an array.
type matElement struct {
	kind uint32
	size int64
	next int64 // where the next part begins
}

// tag reads the tag of the next part. Up to four bytes of data lie within the tag
// itself, whose upper half is then not zero.
func (r *matReader) tag() (e matElement, err error) {
	var b [8]byte
	if err := r.full(b[:4]); err != nil {
		return e, err
	}
	e.kind = r.m.order.Uint32(b[:])
	if small := e.kind >> 16; small != 0 {
		e.kind &= 0xffff
		e.size, e.next = int64(small), r.pos+4
		if small > 4 {
			return e, r.bad("%d bytes of data in a tag, at most 4 are possible", small)
		}
	} else {
		if err := r.full(b[4:]); err != nil {
			return e, err
		}
		e.size = int64(r.m.order.Uint32(b[4:]))
		e.next = r.pos + (e.size+7)&^7
	}
	if e.size > r.v.length-r.pos {
		return e, r.bad("a part claims %d bytes, the array has %d left", e.size, r.v.length-r.pos)
	}
	// The last part may lack its padding.
	e.next = min(e.next, r.v.length)
	return e, nil
}

// small reads the data of a part of at most limit bytes.
func (r *matReader) small(what string, kind uint32, limit int64) ([]byte, error) {
	e, err := r.tag()
	if err != nil {
		return nil, err
	}
	if e.kind != kind || e.size > limit {
		return nil, r.bad("%s is of type %d and %d bytes, want type %d and at most %d bytes", what, e.kind, e.size, kind, limit)
	}
	b := make([]byte, e.size)
	if err := r.full(b); err != nil {
		return nil, err
	}
	return b, r.skip(e.next)
}

// header reads what precedes the data of an array: flags, dimensions, name. It
// returns nil for an element that holds no array.
func (m *matFile) header(off, size int64, packed bool) (*matVar, error) {
	if size == 0 {
		return nil, nil // as MATLAB writes for an empty part
	}
	v := &matVar{off: off, size: size, packed: packed}
	if packed {
		defer m.f.in(fmt.Sprintf("compressed array at byte %d", off))()
	}
	r, err := m.content(v)
	if err != nil {
		return nil, err
	}
	flags, err := r.small("the array's flags", miUint32, 8)
	if err != nil {
		return nil, err
	}
	if len(flags) != 8 {
		return nil, r.bad("%d bytes of flags, want 8", len(flags))
	}
	word := m.order.Uint32(flags)
	v.class, v.complex, v.logical = byte(word), word&0x800 != 0, word&0x200 != 0
	if v.class == 17 { // opaque: no dimensions follow, and the name of the class as well
		name, err := r.small("the name", miInt8, 4096)
		v.name = string(name)
		return v, err
	}
	dims, err := r.small("the dimensions", miInt32, 4*64)
	if err != nil {
		return nil, err
	}
	for ; len(dims) >= 4; dims = dims[4:] {
		d := int32(m.order.Uint32(dims))
		if d < 0 {
			return nil, r.bad("dimension %d", d)
		}
		v.dims = append(v.dims, int64(d))
	}
	if len(dims) != 0 || len(v.dims) < 2 {
		return nil, r.bad("%d dimensions, want two or more", len(v.dims))
	}
	name, err := r.small("the name", miInt8, 4096)
	if err != nil {
		return nil, err
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
	return v, nil
}

// use makes v the matrix of the file.
func (m *matFile) use(v *matVar) error {
	f := m.f
	if !v.usable() {
		return f.unsupported("variable %v: want a real numeric matrix of two dimensions", v)
	}
	f.in("variable " + v.name) // for good
	f.colMajor = true
	a := &matArray{m: m, v: v}
	if v.class == mxSparse {
		s := &matSparse{matArray: a}
		f.entries = s
		if _, err := f.setDims(v.dims[0], v.dims[1]); err != nil {
			return err
		}
		if r, err := m.at(v); err == nil {
			if e, dt, err := r.numeric("the row indices"); err == nil {
				s.listed = e.size / int64(dt.size)
			}
		}
		return nil // what is wrong with the entries, those who read them say
	}
	n, err := f.setDims(v.dims[0], v.dims[1])
	if err != nil {
		return err
	}
	f.data = a
	if n == 0 {
		return nil
	}
	r, err := m.at(v)
	if err != nil {
		return err
	}
	e, dt, err := r.numeric("the data")
	if err != nil {
		return err
	}
	if size, ok := mul(n, int64(dt.size)); !ok || size != e.size {
		return r.bad("%d x %d elements of %v, but %d bytes of data", f.rows, f.cols, dt, e.size)
	}
	return nil
}

// at starts reading the data of v.
func (m *matFile) at(v *matVar) (*matReader, error) {
	r, err := m.content(v)
	if err != nil {
		return nil, err
	}
	return r, r.skip(v.body)
}

// numeric reads the tag of a part that holds numbers.
func (r *matReader) numeric(what string) (matElement, dtype, error) {
	e, err := r.tag()
	if err != nil {
		return e, dtype{}, err
	}
	dt, ok := matTypes[e.kind]
	switch {
	case !ok:
		return e, dt, r.bad("%s: type %d holds no numbers", what, e.kind)
	case e.size%int64(dt.size) != 0:
		return e, dt, r.bad("%s: %d bytes are not a multiple of %v", what, e.size, dt)
	}
	dt.big = dt.size > 1 && r.m.order == binary.BigEndian
	return e, dt, nil
}

// numbers is the source of the numbers behind the tag that r has read.
func (r *matReader) numbers(dt dtype) *numbers {
	return &numbers{f: r.m.f, dt: dt, r: r.r, off: r.offset(), done: r.done}
}

// matArray is the matrix in use.
type matArray struct {
	m *matFile
	v *matVar
}

// verify inflates the array once if it claims to be much larger than the file.
func (a *matArray) verify() error {
	v := a.v
	if !v.packed || !implausible(v.length, v.size) {
		return nil
	}
	r, err := a.m.content(v)
	if err != nil {
		return err
	}
	return r.skip(v.length)
}

func (a *matArray) open() (source, error) {
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

// matSparse is the matrix in use if it is sparse.
type matSparse struct {
	*matArray
	listed int64 // entries
}

func (s *matSparse) count() int64 { return s.listed }

func (s *matSparse) order() order { return atOnce }

func (s *matSparse) single() bool { return false }

func (s *matSparse) each(do func(i, j int32, v float64) error) error {
	e, err := s.entries()
	if err != nil {
		return err
	}
	return e.each(do)
}

// entries reads a sparse matrix: row indices, pointers to columns, values. The
// first and the last may be longer than what the last pointer says.
func (a *matSparse) entries() (e entries, err error) {
	f := a.m.f
	// No entry takes less than half of its bytes in the file.
	if err := f.Fits(a.v.length/2, reading); err != nil {
		return e, err
	}
	if err := a.verify(); err != nil {
		return e, err
	}
	r, err := a.m.at(a.v)
	if err != nil {
		return e, err
	}
	part := func(what string, do func(s *numbers, n int64) error) {
		if err != nil {
			return
		}
		var el matElement
		var dt dtype
		if el, dt, err = r.numeric(what); err != nil {
			return
		}
		s := r.numbers(dt)
		start := s.off
		if err = do(s, el.size/int64(dt.size)); err == nil {
			r.pos += s.off - start
			err = r.skip(el.next)
		}
	}
	part("the row indices", func(s *numbers, n int64) error {
		if s.dt.kind == 'f' {
			return r.bad("the row indices are of type %v", s.dt)
		}
		if e.minor, err = alloc[int32](f, n); err != nil {
			return err
		}
		return s.eachInt(n, func(i int, v int64) error {
			// The last ones may be unused, so they are checked below.
			e.minor[i] = int32(min(max(v, -1), math.MaxInt32))
			return nil
		})
	})
	part("the column pointers", func(s *numbers, n int64) (err error) {
		if s.dt.kind == 'f' || n != int64(f.cols)+1 {
			return r.bad("%d column pointers of type %v for %d columns, want an integer for each and one more", n, s.dt, f.cols)
		}
		e.ptr, _, err = f.pointers(s, "jc", 0, int64(f.cols), int64(len(e.minor)))
		return err
	})
	if err != nil {
		return entries{}, err
	}
	nnz := e.ptr[f.cols]
	e.minor = e.minor[:nnz]
	for k, i := range e.minor {
		if i < 0 || int(i) >= f.rows {
			return entries{}, r.bad("row index ir[%d] is outside 0 to %d", k, f.rows-1)
		}
	}
	if nnz > 0 {
		part("the values", func(s *numbers, n int64) (err error) {
			if n < int64(nnz) {
				return r.bad("%d values for %d entries", n, nnz)
			}
			e.val, err = f.entryValues(s, int64(nnz))
			return err
		})
	}
	if err == nil && r.done != nil {
		err = r.done()
	}
	if err != nil {
		return entries{}, err
	}
	return e, nil
}
