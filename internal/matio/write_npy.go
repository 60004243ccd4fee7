package matio

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// WriteNpy writes the rows x cols matrix whose element i, j is data[i*stride+j]
// to path as a .npy file of version 1.0: C order, little endian, type f4 or f8.
// It writes as WriteFile does. A stride below cols or data that are too short
// are an error.
func WriteNpy[T Float](path string, rows, cols int, data []T, stride int) error {
	if err := checkStride(rows, cols, len(data), stride); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write(npyHeaderOf[T](rows, cols)); err != nil {
			return err
		}
		return encode(w, rows, cols, data, stride)
	})
}

// StreamNpy is WriteNpy for numbers that each hands to its argument, row by row without
// gaps, in pieces of any length. If they are not rows*cols, that is an error.
func StreamNpy[T Float](path string, rows, cols int, each func(do func(numbers []T) error) error) error {
	left, ok := mul(int64(rows), int64(cols))
	if rows < 0 || cols < 0 || !ok {
		return fmt.Errorf("%s: matio: a matrix of %d x %d", path, rows, cols)
	}
	return WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write(npyHeaderOf[T](rows, cols)); err != nil {
			return err
		}
		buf := make([]byte, 0, chunk*int(unsafe.Sizeof(T(0))))
		err := each(func(numbers []T) error {
			if left -= int64(len(numbers)); left < 0 {
				return nil
			}
			return encodeRow(w, buf, numbers)
		})
		if err == nil && left != 0 {
			err = fmt.Errorf("%s: matio: there are %d numbers for a matrix of %d x %d", path, int64(rows)*int64(cols)-left, rows, cols)
		}
		return err
	})
}

func checkStride(rows, cols, n, stride int) error {
	switch {
	case rows < 0 || cols < 0:
		return fmt.Errorf("matio: a matrix of %d x %d", rows, cols)
	case stride < cols:
		return fmt.Errorf("matio: stride %d is less than the %d columns", stride, cols)
	case rows == 0 || cols == 0:
		return nil
	}
	need, ok := mul(int64(rows-1), int64(stride))
	if !ok || need > int64(n)-int64(cols) {
		return fmt.Errorf("matio: %d elements are too few for a matrix of %d x %d with stride %d", n, rows, cols, stride)
	}
	return nil
}

// npyHeaderOf returns the header of a matrix as WriteNpy writes it.
func npyHeaderOf[T Float](rows, cols int) []byte {
	return NpyHeader(fmt.Sprintf("<f%d", unsafe.Sizeof(T(0))), false, int64(rows), int64(cols))
}

// NpyHeader returns the header of a .npy file of version 1.0 for elements of a type such
// as <f8. It takes 128 bytes for every matrix and every vector.
func NpyHeader(descr string, fortran bool, shape ...int64) []byte {
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
	const preface = len(npyMagic) + 4
	pad := 63 - (preface+len(dict))%64
	header := []byte(npyMagic + "\x01\x00")
	header = binary.LittleEndian.AppendUint16(header, uint16(len(dict)+pad+1))
	header = append(header, dict...)
	return append(header, strings.Repeat(" ", pad)+"\n"...)
}

// encode writes numbers row by row, little endian.
func encode[T Float](w io.Writer, rows, cols int, data []T, stride int) error {
	if cols == 0 {
		return nil
	}
	buf := make([]byte, 0, min(cols, chunk)*int(unsafe.Sizeof(T(0))))
	for i := range rows {
		if err := encodeRow(w, buf, data[i*stride:i*stride+cols]); err != nil {
			return err
		}
	}
	return nil
}

// encodeRow writes numbers, as many at once as buf has room for.
func encodeRow[T Float](w io.Writer, buf []byte, row []T) error {
	size := int(unsafe.Sizeof(T(0)))
	for len(row) > 0 {
		n := min(len(row), cap(buf)/size)
		buf = buf[:0]
		for _, v := range row[:n] {
			if size == 4 {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(v)))
			} else {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(float64(v)))
			}
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		row = row[n:]
	}
	return nil
}
