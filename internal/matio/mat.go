package matio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Types of data elements of a MATLAB 5 file.
const (
	miInt8       = 1
	miInt32      = 5
	miUint32     = 6
	miMatrix     = 14
	miCompressed = 15
)

// matTypes are the element types that hold numbers.
var matTypes = map[uint32]dtype{
	1: {kind: 'i', size: 1}, 2: {kind: 'u', size: 1},
	3: {kind: 'i', size: 2}, 4: {kind: 'u', size: 2},
	5: {kind: 'i', size: 4}, 6: {kind: 'u', size: 4},
	7: {kind: 'f', size: 4}, 9: {kind: 'f', size: 8},
	12: {kind: 'i', size: 8}, 13: {kind: 'u', size: 8},
}

const (
	mxSparse = 5
	mxDouble = 6
	mxSingle = 7
	mxUint8  = 9
	mxUint64 = 15
)

// matClasses are the names of the classes of arrays.
var matClasses = []string{1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64", 16: "function", 17: "opaque"}

const matHeaderSize = 128

// isMat says whether head begins a MATLAB file of version 5 or 7.3: a text of
// 116 bytes, 8 bytes of offset, the version, and "MI" as a 16-bit number.
func isMat(head []byte) bool {
	if len(head) < matHeaderSize {
		return false
	}
	m := string(head[126:128])
	return (m == "IM" || m == "MI") && bytes.HasPrefix(head, []byte("MATLAB"))
}

func isHDF5(head []byte) bool {
	const magic = "\x89HDF\r\n\x1a\n"
	return bytes.HasPrefix(head, []byte(magic)) || len(head) >= 520 && string(head[512:520]) == magic
}

// matVar is an array in the file.
type matVar struct {
	name    string
	class   byte
	complex bool
	logical bool
	dims    []int64
	off     int64 // of the element in the file, behind its tag
	size    int64 // bytes there
	packed  bool
	body    int64 // where the data begin within the array
	length  int64 // bytes of the array, inflated
}

func (v *matVar) String() string {
	class := fmt.Sprintf("class %d", v.class)
	if int(v.class) < len(matClasses) && v.class > 0 {
		class = matClasses[v.class]
	}
	if v.logical {
		class = "logical"
	}
	if v.complex {
		class = "complex " + class
	}
	size := ""
	for i, d := range v.dims {
		if i > 0 {
			size += " x "
		}
		size += fmt.Sprint(d)
	}
	return fmt.Sprintf("%s (%s %s)", v.name, size, class)
}

// usable says whether v is a real numeric matrix.
func (v *matVar) usable() bool {
	return v.class >= mxSparse && v.class <= mxUint64 && !v.complex && len(v.dims) == 2
}

func (f *File) openMat(head []byte) error {
	if isHDF5(head) || bytes.HasPrefix(head, []byte("MATLAB 7.3")) {
		return f.unsupported("a MATLAB 7.3 (HDF5) file: save it with -v7")
	}
	if bytes.HasPrefix(head, []byte("# Created by Octave")) || bytes.HasPrefix(head, []byte("Octave-1-")) {
		return f.unsupported("a file in a format of Octave's own: save it with -v7")
	}
	// The first number of a version 4 file has a zero byte, the text of version
	// 5 has none.
	if len(head) >= 20 && bytes.IndexByte(head[:4], 0) >= 0 {
		return f.unsupported("a MATLAB file of version 4: save it with -v7")
	}
	if len(head) < matHeaderSize {
		return f.bad(int64(len(head)), "the file ends within the header of a MATLAB file, 128 bytes")
	}
	m := matFile{f: f, order: binary.LittleEndian}
	switch string(head[126:128]) {
	case "IM":
	case "MI":
		m.order = binary.BigEndian
	default:
		return f.bad(126, "no mark of the byte order: this is no MATLAB file of version 5 to 7")
	}
	if v := m.order.Uint16(head[124:]); v != 0x0100 {
		return f.unsupported("a MATLAB file of version %#04x: save it with -v7", v)
	}
	v, err := m.find()
	if err != nil {
		return err
	}
	return m.use(v)
}

// matFile reads the arrays of a file.
type matFile struct {
	f     *File
	order binary.ByteOrder
	z     io.ReadCloser // of the one compressed array that is being read
}

// find returns the variable that the options ask for.
func (m *matFile) find() (*matVar, error) {
	f := m.f
	var names, usable []string
	var found *matVar
	for off := int64(matHeaderSize); off < f.size; {
		var tag [8]byte
		if f.size-off < int64(len(tag)) {
			return nil, f.bad(off, "the file ends within the tag of an element")
		}
		if _, err := f.file.ReadAt(tag[:], off); err != nil {
			return nil, f.readError(off, err)
		}
		kind, size := m.order.Uint32(tag[:]), int64(m.order.Uint32(tag[4:]))
		off += 8
		if kind>>16 != 0 { // the data lie in the tag
			continue
		}
		if size > f.size-off {
			return nil, f.bad(off-8, "an element claims %d bytes, %d are left", size, f.size-off)
		}
		switch kind {
		case miMatrix, miCompressed:
			v, err := m.header(off, size, kind == miCompressed)
			if err != nil {
				return nil, err
			}
			// Only MATLAB's own workspace for functions has no name.
			if v != nil && v.name != "" {
				if v.name == f.opt.Var {
					return v, nil
				}
				names = note(names, v)
				if v.usable() {
					found = v
					usable = note(usable, v)
				}
			}
		default: // something else, which is padded
			size += -size & 7
		}
		off += size
	}
	switch {
	case f.opt.Var != "":
		return nil, f.noSuchVar(names)
	case len(usable) == 0:
		return nil, fmt.Errorf("%s: no real numeric matrix: the file has %s: %w", f.path, list(names), ErrVar)
	case len(usable) > 1:
		return nil, f.severalVars(usable)
	}
	return found, nil
}

// matReader reads the content of one array. pos counts from its beginning.
type matReader struct {
	m    *matFile
	v    *matVar
	r    io.Reader
	pos  int64
	done func() error
}

// content starts reading the array v. For a compressed one that means the
// inflated bytes behind its tag. It sets v.length.
func (m *matFile) content(v *matVar) (*matReader, error) {
	f := m.f
	section := io.NewSectionReader(f.file, v.off, v.size)
	mr := &matReader{m: m, v: v, r: section}
	if !v.packed {
		v.length = v.size
		return mr, nil
	}
	if err := m.inflate(section); err != nil {
		return nil, f.readError(v.off, err)
	}
	z := m.z
	mr.r = z
	mr.done = func() error {
		// At its end the reader compares the checksum.
		_, err := io.Copy(io.Discard, io.LimitReader(z, 64))
		if err != nil {
			return f.readError(v.off, err)
		}
		return nil
	}
	var tag [8]byte
	if _, err := io.ReadFull(z, tag[:]); err != nil {
		return nil, f.readError(v.off, err)
	}
	v.length = int64(m.order.Uint32(tag[4:]))
	if kind := m.order.Uint32(tag[:]); kind != miMatrix {
		return nil, f.bad(v.off, "a compressed element of type %d, want an array", kind)
	}
	if limit := maxInflate * v.size; v.length > limit {
		return nil, f.bad(v.off, "a compressed array claims %d bytes, which its %d bytes in the file cannot give", v.length, v.size)
	}
	return mr, nil
}

// inflate makes m.z read what r holds.
func (m *matFile) inflate(r io.Reader) (err error) {
	if m.z != nil {
		return m.z.(zlib.Resetter).Reset(r, nil)
	}
	m.z, err = zlib.NewReader(r)
	return err
}

// bad is File.bad for the present position.
func (r *matReader) bad(format string, args ...any) error {
	return r.m.f.bad(r.offset(), format, args...)
}

// offset is the position in the file, or, in a compressed array, in that.
func (r *matReader) offset() int64 {
	if r.v.packed {
		return r.pos
	}
	return r.v.off + r.pos
}

func (r *matReader) full(b []byte) error {
	if int64(len(b)) > r.v.length-r.pos {
		return r.bad("the array ends too early")
	}
	n, err := io.ReadFull(r.r, b)
	r.pos += int64(n)
	if err != nil {
		return r.m.f.readError(r.offset(), err)
	}
	return nil
}

// skip moves on to pos.
func (r *matReader) skip(pos int64) error {
	if pos > r.v.length {
		return r.bad("the array ends too early")
	}
	if s, ok := r.r.(*io.SectionReader); ok {
		_, err := s.Seek(pos, io.SeekStart)
		r.pos = pos
		return err
	}
	n, err := io.CopyN(io.Discard, r.r, pos-r.pos)
	r.pos += n
	if err != nil {
		return r.m.f.readError(r.offset(), err)
	}
	return nil
}

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
	f.name = v.name
	f.in("variable " + v.name) // for good
	f.single = v.class == mxSingle
	f.colMajor = true
	a := &matArray{m: m, v: v}
	if v.class == mxSparse {
		f.entries = a.entries
		_, err := f.setDims(v.dims[0], v.dims[1])
		return err
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

// entries reads a sparse matrix: row indices, pointers to columns, values. The
// first and the last may be longer than what the last pointer says.
func (a *matArray) entries() (e entries, err error) {
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
		e.ptr, err = f.pointers(s, "jc", int64(f.cols), int64(len(e.minor)))
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
