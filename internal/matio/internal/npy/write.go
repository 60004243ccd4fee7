package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/output"
)

// Write writes the rows x cols matrix whose element i, j is data[i*stride+j] as a .npy file of
// version 1.0: C order, little endian, type f4 or f8. A stride below cols is an error, and so
// are too few data.
func Write[T element.Float](w io.Writer, rows, cols int, data []T, stride int) error {
	if err := output.CheckStride(rows, cols, len(data), stride); err != nil {
		return err
	}
	if _, err := w.Write(headerOf[T](rows, cols)); err != nil {
		return err
	}
	return output.Encode(w, rows, cols, data, stride)
}

// Stream is Write for numbers from each, which passes them to its argument row by row, in
// pieces of any length. If there are not rows*cols numbers, Stream returns an error.
func Stream[T element.Float](w io.Writer, rows, cols int, each func(do func(numbers []T) error) error) error {
	left, ok := element.Mul(int64(rows), int64(cols))
	if rows < 0 || cols < 0 || !ok {
		return fmt.Errorf("matio: a matrix cannot have the size %d x %d", rows, cols)
	}
	if _, err := w.Write(headerOf[T](rows, cols)); err != nil {
		return err
	}
	buf := make([]byte, 0, output.Chunk*int(unsafe.Sizeof(T(0))))
	err := each(func(numbers []T) error {
		if left -= int64(len(numbers)); left < 0 {
			return nil
		}
		return output.EncodeRow(w, buf, numbers)
	})
	if err == nil && left != 0 {
		err = fmt.Errorf("matio: got %d numbers for a matrix of %d x %d", int64(rows)*int64(cols)-left, rows, cols)
	}
	return err
}

// headerOf returns the header of a matrix as Write writes it.
func headerOf[T element.Float](rows, cols int) []byte {
	return EncodeHeader(fmt.Sprintf("<f%d", unsafe.Sizeof(T(0))), false, int64(rows), int64(cols))
}

// EncodeHeader returns the header of a .npy file of version 1.0 for elements of a NumPy type
// such as <f8. It has 128 bytes for every matrix and every vector.
func EncodeHeader(descr string, fortran bool, shape ...int64) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	sizes := ""
	for i, n := range shape {
		if i > 0 {
			sizes += " "
		}
		sizes += strconv.FormatInt(n, 10) + ","
	}
	if len(shape) > 1 {
		sizes = strings.TrimSuffix(sizes, ",")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, sizes)
	// The data begin at a multiple of 64 bytes, and a line feed precedes them.
	const preface = len(Magic) + 4
	pad := 63 - (preface+len(dict))%64
	header := []byte(Magic + "\x01\x00")
	header = binary.LittleEndian.AppendUint16(header, uint16(len(dict)+pad+1))
	header = append(header, dict...)
	return append(header, strings.Repeat(" ", pad)+"\n"...)
}
