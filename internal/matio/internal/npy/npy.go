// Package npy reads and writes .npy files, and knows their header for packages npz and folder:
//
//	\x93NUMPY 1 0 LENGTH {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// A 1-D array is a column. The elements stay in the file until they are asked for.
package npy

import (
	"encoding/binary"
	"io"
	"regexp"
	"slices"
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
	f.Plain = &input.Array{File: f, Type: h.Type, Offset: h.Size, Len: n, Dims: len(h.Shape)}
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
	a := &input.Array{File: f, Type: h.Type, Offset: h.Size, Len: n, Dims: 2}
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
	start := h.Size
	h.Size += n
	return h, h.parse(f, start, string(text), words)
}

// item is one of the items of a header: its key, its value, and the comma behind it.
var item = regexp.MustCompile(`^\s*['"](descr|fortran_order|shape)['"]\s*:\s*('[^']*'|"[^"]*"|True|False|\([0-9L,\s]*\)|\[.*)\s*(?:,|$)\s*`)

// parse reads the text of a header, a Python dictionary at byte start of the file.
func (h *Header) parse(f *input.File, start int64, text string, words bool) error {
	bad := f.Bad(start, "header %.200q: want one like {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", strings.TrimSpace(text))
	rest, begins := strings.CutPrefix(strings.TrimSpace(text), "{")
	rest, ends := strings.CutSuffix(rest, "}")
	value := map[string]string{}
	for rest != "" {
		m := item.FindStringSubmatch(rest)
		if m == nil || value[m[1]] != "" {
			return bad
		}
		value[m[1]], rest = m[2], rest[len(m[0]):]
	}
	descr, order := value["descr"], value["fortran_order"]
	if strings.HasPrefix(descr, "[") {
		return f.Unsupported("an array of records: save one numeric field")
	}
	shape, bracket := strings.CutPrefix(value["shape"], "(")
	if !begins || !ends || !bracket || descr == "" || strings.Trim(descr[:1], `'"`) != "" || order != "True" && order != "False" {
		return bad
	}
	sizes := strings.Split(strings.TrimSuffix(shape, ")"), ",")
	for k, size := range sizes {
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(size), "L"), 10, 64) // an L as Python 2 wrote
		switch last := k == len(sizes)-1; {
		case last && strings.TrimSpace(size) == "":
		case err != nil:
			return bad
		default:
			h.Shape = append(h.Shape, n)
		}
	}
	h.Fortran = order == "True"
	return h.setType(f, bad, descr[1:len(descr)-1], words)
}

// setType sets the type of the elements by its name in NumPy. With words it must be U, UCS-4 characters, or S, bytes, else a
// type of numbers. What is no name is the error bad.
func (h *Header) setType(f *input.File, bad error, name string, words bool) error {
	kind := strings.TrimLeft(name, "<>|")
	if kind == "" || len(name)-len(kind) > 1 {
		return bad
	}
	size, err := strconv.ParseUint(kind[1:], 10, 28)
	h.Type = element.Type{Kind: kind[0], Size: int(size), Big: name[0] == '>'}
	numbers := slices.Contains([]string{"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}, kind)
	switch {
	case words && err == nil && kind[0] == 'U':
		h.Type.Size *= 4
	case words && err == nil && kind[0] == 'S':
	case words:
		return f.Unsupported("elements of type %q are not text", name)
	case kind == "c8", kind == "c16":
		return f.Unsupported("complex numbers (type %q): save the real part or the absolute values", name)
	case !numbers:
		return f.Unsupported("elements of type %q: convert them with astype(float)", name)
	case size > 1 && name[0] != '<' && name[0] != '>':
		return bad // without the order of its bytes
	}
	return nil
}
