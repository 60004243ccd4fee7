package mat

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/output"
)

// Variable is a matrix with a name, for Write.
type Variable[T element.Float] struct {
	Name string
	output.Labelled[T]
}

// Constants for writing a MATLAB file of version 5. types.go has those for reading.
const (
	version   = 0x0100
	endian    = 'M'<<8 | 'I'
	mostBytes = math.MaxUint32 // an element says its length in 32 bits
)

// Write writes matrices to one MATLAB file of version 5 (-v6, not compressed): class double or single, little endian. MATLAB, GNU Octave and SciPy read it. A matrix
// of 4 GiB or more does not fit such a file and is an error. The row names of V, if any, become
// V_rows, a column of strings (a cell array). The column names become the row V_cols.
func Write[T element.Float](w io.Writer, variables ...Variable[T]) error {
	for _, v := range variables {
		if err := v.Check(); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
		if v.bytes() > mostBytes {
			return fmt.Errorf("%s, %d x %d, exceeds the 4 GiB of a matrix in a .mat file; write a .npy file: %w", v.Name, v.Rows, v.Cols, input.ErrTooLarge)
		}
	}
	head := make([]byte, 128)
	text := head[:116]
	for i := range text {
		text[i] = ' '
	}
	copy(text, "MATLAB 5.0 MAT-file, written by nmu")
	binary.LittleEndian.PutUint16(head[124:], version)
	binary.LittleEndian.PutUint16(head[126:], endian)
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, v := range variables {
		if err := v.write(w); err != nil {
			return err
		}
		if _, err := w.Write(v.names()); err != nil {
			return err
		}
	}
	return nil
}

// filled returns n rounded up to a multiple of 8.
func filled(n int64) int64 { return (n + 7) / 8 * 8 }

// appendArray appends the head of an array, before data bytes of content with their tags.
func appendArray(b []byte, name string, class uint32, rows, cols int, data int64) []byte {
	for _, x := range []uint32{
		miMatrix, uint32(arrayBytes(name, data)),
		miUint32, 8, class, 0, // flags
		miInt32, 8, uint32(rows), uint32(cols),
		miInt8, uint32(len(name)),
	} {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return padded(append(b, name...))
}

// arrayBytes returns the bytes of an array behind its tag.
func arrayBytes(name string, data int64) int64 { return 16 + 16 + 8 + filled(int64(len(name))) + data }

// padded appends zeros to b up to a multiple of 8 bytes.
func padded(b []byte) []byte { return append(b, make([]byte, (8-len(b)%8)%8)...) }

// bytes returns the length of the element behind its tag. If the matrix does not fit, the
// result exceeds mostBytes.
func (v Variable[T]) bytes() int64 {
	n, _ := element.Mul(int64(v.Rows), int64(v.Cols))
	data := element.SizeOf[T](n)
	if data > mostBytes {
		return data
	}
	return arrayBytes(v.Name, 8+filled(data))
}

// write writes the matrix as an element.
func (v Variable[T]) write(w io.Writer) error {
	kind, class := uint32(miDouble), uint32(mxDouble)
	size := int(unsafe.Sizeof(T(0)))
	if size == 4 {
		kind, class = miSingle, mxSingle
	}
	data := int64(v.Rows) * int64(v.Cols) * int64(size)
	b := appendArray(nil, v.Name, class, v.Rows, v.Cols, 8+filled(data))
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(data))
	if _, err := w.Write(b); err != nil {
		return err
	}
	if err := v.EncodeColumns(w); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, filled(data)-data))
	return err
}

// names returns the elements of the names of the rows and columns.
func (v Variable[T]) names() []byte {
	var b []byte
	if v.RowNames != nil {
		b = appendStrings(b, v.Name+rowNames, len(v.RowNames), 1, v.RowNames)
	}
	if v.ColNames != nil {
		b = appendStrings(b, v.Name+colNames, 1, len(v.ColNames), v.ColNames)
	}
	return b
}

// appendStrings appends a cell array of strings, in UTF-8: SciPy takes 16-bit numbers
// for something else, and Octave does not read UTF-16.
func appendStrings(b []byte, name string, rows, cols int, x []string) []byte {
	var cells []byte
	for _, s := range x {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
		chars := utf8.RuneCountInString(s)
		cells = appendArray(cells, "", mxChar, min(1, chars), chars, 8+filled(int64(len(s))))
		cells = binary.LittleEndian.AppendUint32(cells, miUTF8)
		cells = binary.LittleEndian.AppendUint32(cells, uint32(len(s)))
		cells = padded(append(cells, s...))
	}
	return append(appendArray(b, name, mxCell, rows, cols, int64(len(cells))), cells...)
}
