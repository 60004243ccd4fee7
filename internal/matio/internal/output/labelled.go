// Package output has what all writers of matrices share: a matrix with names, a check of its
// sizes, and encoding of numbers in little endian.
package output

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"unsafe"

	"nmu/internal/matio/internal/element"
)

// Chunk is how many numbers are encoded at once.
const Chunk = 8192

// Labelled is a matrix with names: element i, j is Data[i*Stride+j]. If names are nil, they are
// the numbers from 1.
type Labelled[T element.Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
	RowNames   []string
	ColNames   []string
}

// Check returns an error if the sizes or the numbers of names do not fit.
func (m Labelled[T]) Check() error {
	if err := CheckStride(m.Rows, m.Cols, len(m.Data), m.Stride); err != nil {
		return err
	}
	if m.RowNames != nil && len(m.RowNames) != m.Rows || m.ColNames != nil && len(m.ColNames) != m.Cols {
		return fmt.Errorf("matio: %d row names and %d column names for a matrix of %d x %d", len(m.RowNames), len(m.ColNames), m.Rows, m.Cols)
	}
	return nil
}

// CheckStride returns an error if n elements are too few for a rows x cols matrix with this
// stride.
func CheckStride(rows, cols, n, stride int) error {
	switch {
	case rows < 0 || cols < 0:
		return fmt.Errorf("matio: the size %d x %d is negative", rows, cols)
	case stride < cols:
		return fmt.Errorf("matio: stride %d is less than the %d columns", stride, cols)
	case rows == 0 || cols == 0:
		return nil
	}
	need, ok := element.Mul(int64(rows-1), int64(stride))
	if !ok || need > int64(n)-int64(cols) {
		return fmt.Errorf("matio: %d elements are too few for a matrix of %d x %d with stride %d", n, rows, cols, stride)
	}
	return nil
}

// NameOf returns the name of row or column i.
func NameOf(names []string, i int) string {
	if names == nil {
		return strconv.Itoa(i + 1)
	}
	return names[i]
}

// Encode writes numbers row by row, little endian.
func Encode[T element.Float](w io.Writer, rows, cols int, data []T, stride int) error {
	if cols == 0 {
		return nil
	}
	buf := make([]byte, 0, min(cols, Chunk)*int(unsafe.Sizeof(T(0))))
	for i := range rows {
		if err := EncodeRow(w, buf, data[i*stride:i*stride+cols]); err != nil {
			return err
		}
	}
	return nil
}

// EncodeColumns writes the numbers of m column by column, little endian.
func (m Labelled[T]) EncodeColumns(w io.Writer) error {
	column := make([]T, m.Rows)
	for j := range m.Cols {
		for i := range column {
			column[i] = m.Data[i*m.Stride+j]
		}
		if err := Encode(w, 1, m.Rows, column, m.Rows); err != nil {
			return err
		}
	}
	return nil
}

// EncodeRow writes the numbers of row, in pieces that fit buf.
func EncodeRow[T element.Float](w io.Writer, buf []byte, row []T) error {
	for len(row) > 0 {
		n := min(len(row), cap(buf)/int(unsafe.Sizeof(T(0))))
		b, err := binary.Append(buf[:0], binary.LittleEndian, row[:n])
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			return err
		}
		row = row[n:]
	}
	return nil
}
