package mat

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// Types of data elements of a MATLAB 5 file.
const (
	miInt8       = 1
	miInt32      = 5
	miUint32     = 6
	miSingle     = 7
	miDouble     = 9
	miMatrix     = 14
	miCompressed = 15
	miUTF8       = 16
)

// types are the element types that hold numbers.
var types = map[uint32]element.Type{
	1: {Kind: 'i', Size: 1}, 2: {Kind: 'u', Size: 1},
	3: {Kind: 'i', Size: 2}, 4: {Kind: 'u', Size: 2},
	5: {Kind: 'i', Size: 4}, 6: {Kind: 'u', Size: 4},
	7: {Kind: 'f', Size: 4}, 9: {Kind: 'f', Size: 8},
	12: {Kind: 'i', Size: 8}, 13: {Kind: 'u', Size: 8},
}

const (
	mxCell   = 1
	mxChar   = 4
	mxSparse = 5
	mxDouble = 6
	mxSingle = 7
	mxUint8  = 9
	mxUint64 = 15
)

// classes are the names of the classes of arrays.
var classes = []string{1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64", 16: "function", 17: "opaque"}

const headerSize = 128

// Is says whether head begins a MATLAB file of version 5 or 7.3: a text of
// 116 bytes, 8 bytes of offset, the version, and "MI" as a 16-bit number.
func Is(head []byte) bool {
	if len(head) < headerSize {
		return false
	}
	m := string(head[126:128])
	return (m == "IM" || m == "MI") && bytes.HasPrefix(head, []byte("MATLAB"))
}

// IsHDF5 says whether head begins an HDF5 file, such as one of MATLAB 7.3.
func IsHDF5(head []byte) bool {
	const magic = "\x89HDF\r\n\x1a\n"
	return bytes.HasPrefix(head, []byte(magic)) || len(head) >= 520 && string(head[512:520]) == magic
}

// variable is an array in the file.
type variable struct {
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

func (v *variable) String() string {
	class := fmt.Sprintf("class %d", v.class)
	if int(v.class) < len(classes) && v.class > 0 {
		class = classes[v.class]
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
func (v *variable) usable() bool {
	return v.class >= mxSparse && v.class <= mxUint64 && !v.complex && len(v.dims) == 2
}

// Open opens the variable of a MATLAB file that is asked for, or the only one. head is how the
// file begins.
func Open(f *input.File, head []byte) error {
	if IsHDF5(head) || bytes.HasPrefix(head, []byte("MATLAB 7.3")) {
		return f.Unsupported("a MATLAB 7.3 (HDF5) file: save it with -v7")
	}
	if bytes.HasPrefix(head, []byte("# Created by Octave")) || bytes.HasPrefix(head, []byte("Octave-1-")) {
		return f.Unsupported("a file in a format of Octave's own: save it with -v7")
	}
	// The first number of a version 4 file has a zero byte, the text of version
	// 5 has none.
	if len(head) >= 20 && bytes.IndexByte(head[:4], 0) >= 0 {
		return f.Unsupported("a MATLAB file of version 4: save it with -v7")
	}
	if len(head) < headerSize {
		return f.Bad(int64(len(head)), "the file ends within the header of a MATLAB file, 128 bytes")
	}
	m := file{f: f, order: binary.LittleEndian}
	switch string(head[126:128]) {
	case "IM":
	case "MI":
		m.order = binary.BigEndian
	default:
		return f.Bad(126, "no mark of the byte order: this is no MATLAB file of version 5 to 7")
	}
	if v := m.order.Uint16(head[124:]); v != 0x0100 {
		return f.Unsupported("a MATLAB file of version %#04x: save it with -v7", v)
	}
	v, err := m.find()
	if err != nil {
		return err
	}
	return m.use(v)
}

// file reads the arrays of a file.
type file struct {
	f     *input.File
	order binary.ByteOrder
	z     io.ReadCloser // of the one compressed array that is being read
}

// find returns the variable that the options ask for.
func (m *file) find() (*variable, error) {
	f := m.f
	var all, names, usable []string
	var found *variable
	for off := int64(headerSize); off < f.Size; {
		var tag [8]byte
		if f.Size-off < int64(len(tag)) {
			return nil, f.Bad(off, "the file ends within the tag of an element")
		}
		if _, err := f.Handle.ReadAt(tag[:], off); err != nil {
			return nil, f.ReadError(off, err)
		}
		kind, size := m.order.Uint32(tag[:]), int64(m.order.Uint32(tag[4:]))
		off += 8
		if kind>>16 != 0 { // the data lie in the tag
			continue
		}
		if size > f.Size-off {
			return nil, f.Bad(off-8, "an element claims %d bytes, %d are left", size, f.Size-off)
		}
		switch kind {
		case miMatrix, miCompressed:
			v, err := m.header(off, size, kind == miCompressed)
			if err != nil {
				return nil, err
			}
			// Only MATLAB's own workspace for functions has no name.
			if v != nil && v.name != "" {
				if v.name == f.Var {
					return v, nil
				}
				all = input.Note(all, v)
				if v.usable() {
					found = v
					usable = input.Note(usable, v)
					if len(names) < input.MostListed {
						names = append(names, v.name)
					}
				}
			}
		default: // something else, which is padded
			size += -size & 7
		}
		off += size
	}
	switch {
	case f.Var != "":
		return nil, f.VarError(names, all)
	case len(usable) == 0:
		return nil, fmt.Errorf("%s: no real numeric matrix: the file has %s: %w", f.Path, input.List(all), input.ErrVar)
	case len(usable) > 1:
		return nil, f.VarError(names, usable)
	}
	return found, nil
}

// reader reads the content of one array. pos counts from its beginning.
type reader struct {
	m    *file
	v    *variable
	r    io.Reader
	pos  int64
	done func() error
}

// content starts reading the array v. For a compressed one that means the
// inflated bytes behind its tag. It sets v.length.
func (m *file) content(v *variable) (*reader, error) {
	f := m.f
	section := io.NewSectionReader(f.Handle, v.off, v.size)
	mr := &reader{m: m, v: v, r: section}
	if !v.packed {
		v.length = v.size
		return mr, nil
	}
	if err := m.inflate(section); err != nil {
		return nil, f.ReadError(v.off, err)
	}
	z := m.z
	mr.r = z
	mr.done = func() error {
		// At its end the reader compares the checksum.
		_, err := io.Copy(io.Discard, io.LimitReader(z, 64))
		if err != nil {
			return f.ReadError(v.off, err)
		}
		return nil
	}
	var tag [8]byte
	if _, err := io.ReadFull(z, tag[:]); err != nil {
		return nil, f.ReadError(v.off, err)
	}
	v.length = int64(m.order.Uint32(tag[4:]))
	if kind := m.order.Uint32(tag[:]); kind != miMatrix {
		return nil, f.Bad(v.off, "a compressed element of type %d, want an array", kind)
	}
	if limit := input.MaxInflate * v.size; v.length > limit {
		return nil, f.Bad(v.off, "a compressed array claims %d bytes, which its %d bytes in the file cannot give", v.length, v.size)
	}
	return mr, nil
}

// inflate makes m.z read what r holds.
func (m *file) inflate(r io.Reader) (err error) {
	if m.z != nil {
		return m.z.(zlib.Resetter).Reset(r, nil)
	}
	m.z, err = zlib.NewReader(r)
	return err
}

// bad is File.bad for the present position.
func (r *reader) bad(format string, args ...any) error {
	return r.m.f.Bad(r.offset(), format, args...)
}

// offset is the position in the file, or, in a compressed array, in that.
func (r *reader) offset() int64 {
	if r.v.packed {
		return r.pos
	}
	return r.v.off + r.pos
}

func (r *reader) full(b []byte) error {
	if int64(len(b)) > r.v.length-r.pos {
		return r.bad("the array ends too early")
	}
	n, err := io.ReadFull(r.r, b)
	r.pos += int64(n)
	if err != nil {
		return r.m.f.ReadError(r.offset(), err)
	}
	return nil
}

// skip moves on to pos.
func (r *reader) skip(pos int64) error {
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
		return r.m.f.ReadError(r.offset(), err)
	}
	return nil
}
