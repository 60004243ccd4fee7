// Package npy reads and writes .npy files, and knows their header for packages npz and folder:
//
//	\x93NUMPY 1 0 LENGTH {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// A 1-D array is a column. The elements stay in the file until they are asked for.
package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// Magic is the beginning of every .npy file.
const Magic = "\x93NUMPY"

// Header is the content of the header of a .npy file.
type Header struct {
	Type    element.Type
	Fortran bool
	Shape   []int64
	Size    int64 // bytes of the header, the data follow
}

// Dims returns the size of the matrix: a 1-D array is a column.
func (h *Header) Dims() (rows, cols int64, ok bool) {
	switch len(h.Shape) {
	case 1:
		return h.Shape[0], 1, true
	case 2:
		return h.Shape[0], h.Shape[1], true
	}
	return 0, 0, false
}

// Open opens a .npy file. An array of three dimensions is a cube, see input.File.SetCube.
func Open(f *input.File) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	h, err := ReadHeader(f, f.Section(), f.Size, false)
	if err != nil {
		return err
	}
	if len(h.Shape) == 3 {
		return openCube(f, h)
	}
	n, err := SetDims(f, h, f.Size-h.Size)
	if err != nil {
		return err
	}
	f.Plain = &input.Plain{File: f, Type: h.Type, Offset: h.Size, Len: n, Dims: len(h.Shape)}
	f.Dense = f.Plain
	return nil
}

// openCube opens an array of lines x samples x bands.
func openCube(f *input.File, h Header) error {
	n, err := f.SetCube(h.Shape[0], h.Shape[1], h.Shape[2])
	if err != nil {
		return err
	}
	if err := CheckData(f, h, n, f.Size-h.Size); err != nil {
		return err
	}
	a := &input.Plain{File: f, Type: h.Type, Offset: h.Size, Len: n, Dims: 2}
	if h.Fortran {
		f.Dense = input.TransposedCube{File: f, Of: a}
	} else { // the bands of a pixel lie together, as a column of the matrix
		f.Plain, f.Dense, f.ByColumns = a, a, true
	}
	return nil
}

// SetDims checks the header of a matrix that is followed by data bytes, and sets the fields of
// f.
func SetDims(f *input.File, h Header, data int64) (n int64, err error) {
	rows, cols, ok := h.Dims()
	if !ok {
		return 0, f.Unsupported("the array has %d dimensions: want 2, or 1 for a column", len(h.Shape))
	}
	if n, err = f.SetDims(rows, cols); err != nil {
		return 0, err
	}
	if err := CheckData(f, h, n, data); err != nil {
		return 0, err
	}
	// A column is in both orders.
	f.ByColumns = h.Fortran && len(h.Shape) == 2
	return n, nil
}

// CheckData compares the n elements that a header claims with the bytes that
// follow it.
func CheckData(f *input.File, h Header, n, data int64) error {
	if size, ok := element.Mul(n, int64(h.Type.Size)); !ok || size != data {
		return f.Bad(h.Size, "the header claims %d elements of %v, but %d bytes follow it", n, h.Type, data)
	}
	return nil
}

// ReadHeader reads the header of a .npy file. r delivers at most size bytes. With words it accepts only arrays of text.
func ReadHeader(f *input.File, r io.Reader, size int64, words bool) (h Header, err error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:10]); err != nil {
		return h, f.ReadError(0, err)
	}
	if string(b[:6]) != Magic {
		return h, f.Bad(0, "not a .npy array: the file does not begin like one")
	}
	var n int64
	switch b[6] {
	case 1:
		n, h.Size = int64(binary.LittleEndian.Uint16(b[8:])), 10
	case 2, 3:
		if _, err := io.ReadFull(r, b[10:]); err != nil {
			return h, f.ReadError(10, err)
		}
		n, h.Size = int64(binary.LittleEndian.Uint32(b[8:])), 12
	default:
		return h, f.Unsupported(".npy version %d.%d: want 1 to 3", b[6], b[7])
	}
	// No header of a plain array is that long; one of a record type may be.
	if n > min(size-h.Size, 1<<16) {
		return h, f.Bad(8, "the header claims a length of %d bytes: want at most %d", n, min(size-h.Size, 1<<16))
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, f.ReadError(h.Size, err)
	}
	p := parser{f: f, s: string(text), start: h.Size, words: words}
	h.Size += n
	return h, p.header(&h)
}

// parser reads the header, a Python dictionary:
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
type parser struct {
	f     *input.File
	s     string
	i     int
	start int64 // byte of the file where s begins
	words bool  // of an array of text
}

func (p *parser) bad(format string, args ...any) error {
	return p.f.Bad(p.start+int64(p.i), "header: %s", fmt.Sprintf(format, args...))
}

// skip skips space.
func (p *parser) skip() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// accept skips space and then c, if that comes next.
func (p *parser) accept(c byte) bool {
	p.skip()
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(c byte) error {
	if !p.accept(c) {
		return p.bad("want %q", c)
	}
	return nil
}

// quoted reads a string in quotes of either kind.
func (p *parser) quoted() (string, error) {
	q := byte('\'')
	if !p.accept(q) {
		q = '"'
		if !p.accept(q) {
			return "", p.bad("want a string")
		}
	}
	n := strings.IndexByte(p.s[p.i:], q)
	if n < 0 {
		return "", p.bad("a string without its closing quote")
	}
	s := p.s[p.i : p.i+n]
	p.i += n + 1
	return s, nil
}

func (p *parser) header(h *Header) error {
	if err := p.expect('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for !p.accept('}') {
		key, err := p.quoted()
		if err != nil {
			return err
		}
		if seen[key] {
			return p.bad("key %q appears twice", key)
		}
		seen[key] = true
		if err := p.expect(':'); err != nil {
			return err
		}
		switch key {
		case "descr":
			err = p.descr(h)
		case "fortran_order":
			err = p.order(h)
		case "shape":
			err = p.shape(h)
		default:
			err = p.bad("unknown key %q", key)
		}
		if err != nil {
			return err
		}
		if !p.accept(',') {
			if err := p.expect('}'); err != nil {
				return err
			}
			break
		}
	}
	if p.skip(); p.i != len(p.s) {
		return p.bad("text after the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return p.bad("key %q is missing", key)
		}
	}
	return nil
}

func (p *parser) descr(h *Header) error {
	if p.accept('[') {
		return p.f.Unsupported("an array of records: save one numeric field")
	}
	s, err := p.quoted()
	if err != nil {
		return err
	}
	rest := s
	if rest != "" && strings.IndexByte("<>|", rest[0]) >= 0 {
		h.Type.Big = rest[0] == '>'
		rest = rest[1:]
	}
	if rest == "" {
		return p.bad("unknown type %q", s)
	}
	if p.words {
		return p.word(h, s, rest)
	}
	switch rest {
	case "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		h.Type.Kind, h.Type.Size = rest[0], int(rest[1]-'0')
		if h.Type.Size == 1 {
			h.Type.Big = false
		} else if s[0] != '<' && s[0] != '>' {
			return p.bad("type %q has no byte order: want < or > before it", s)
		}
		return nil
	case "c8", "c16":
		return p.f.Unsupported("complex numbers (type %q): save the real part or the absolute values", s)
	}
	return p.f.Unsupported("elements of type %q: convert them with astype(float)", s)
}

func (p *parser) order(h *Header) error {
	p.skip()
	for _, v := range []string{"True", "False"} {
		if strings.HasPrefix(p.s[p.i:], v) {
			p.i += len(v)
			h.Fortran = v == "True"
			return nil
		}
	}
	return p.bad("want True or False")
}

func (p *parser) shape(h *Header) error {
	if err := p.expect('('); err != nil {
		return err
	}
	for !p.accept(')') {
		p.skip()
		from := p.i
		for p.i < len(p.s) && strings.IndexByte("-0123456789", p.s[p.i]) >= 0 {
			p.i++
		}
		n, err := strconv.ParseInt(p.s[from:p.i], 10, 64)
		if err != nil || n < 0 {
			return p.bad("%q is not a size", p.s[from:p.i])
		}
		h.Shape = append(h.Shape, n)
		p.accept('L') // as Python 2 wrote
		if !p.accept(',') {
			return p.expect(')')
		}
	}
	return nil
}

// word reads the type of an array of text: U for UCS-4 characters, S for bytes.
func (p *parser) word(h *Header, s, rest string) error {
	n, err := strconv.ParseUint(rest[1:], 10, 28)
	if err != nil || rest[0] != 'U' && rest[0] != 'S' {
		return p.f.Unsupported("elements of type %q are not text", s)
	}
	h.Type.Kind, h.Type.Size = rest[0], int(n)
	if rest[0] == 'U' {
		h.Type.Size *= 4
	}
	return nil
}
