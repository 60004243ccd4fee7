package matio

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// Variable is a matrix with a name, for WriteMat.
type Variable[T Float] struct {
	Name string
	Labelled[T]
}

// Parts of a MATLAB file of version 5, see mat_elements.go for those that are read.
const (
	matVersion   = 0x0100
	matEndian    = 'M'<<8 | 'I'
	mostMatBytes = math.MaxUint32 // an element says its length in 32 bits
)

// WriteMat writes matrices to one MATLAB file of version 5 (-v6, not compressed), as
// WriteFile does: class double or single, little endian. MATLAB, GNU Octave and SciPy
// read it. A matrix of 4 GiB or more does not fit such a file, which is an error;
// the names of its rows and columns have no place there.
func WriteMat[T Float](path string, variables ...Variable[T]) error {
	for _, v := range variables {
		if err := v.check(); err != nil {
			return fmt.Errorf("%s: %s: %w", path, v.Name, err)
		}
		if v.bytes() > mostMatBytes {
			return fmt.Errorf("%s: %s, %d x %d, is too large for a .mat file of version 5, which holds 4 GiB in a matrix: %w", path, v.Name, v.Rows, v.Cols, ErrTooLarge)
		}
	}
	return WriteFile(path, func(w io.Writer) error {
		head := make([]byte, 128)
		text := head[:116]
		for i := range text {
			text[i] = ' '
		}
		copy(text, "MATLAB 5.0 MAT-file, written by nmu")
		binary.LittleEndian.PutUint16(head[124:], matVersion)
		binary.LittleEndian.PutUint16(head[126:], matEndian)
		if _, err := w.Write(head); err != nil {
			return err
		}
		for _, v := range variables {
			if err := v.write(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// sizes returns the bytes of the name and of the numbers, which are filled up to
// multiples of 8.
func (v Variable[T]) sizes() (name, data int64) {
	n, _ := mul(int64(v.Rows), int64(v.Cols))
	return (int64(len(v.Name)) + 7) / 8 * 8, sizeOf[T](n)
}

// bytes returns those of the element behind its tag, at most a number that is too
// large.
func (v Variable[T]) bytes() int64 {
	name, data := v.sizes()
	if data > mostMatBytes {
		return data
	}
	return 16 + 16 + 8 + name + 8 + (data+7)/8*8
}

// write writes the matrix as an element.
func (v Variable[T]) write(w io.Writer) error {
	const miInt8, miInt32, miUint32, miSingle, miDouble, miMatrix = 1, 5, 6, 7, 9, 14
	const mxDouble, mxSingle = 6, 7
	kind, class := uint32(miDouble), uint32(mxDouble)
	size := int(unsafe.Sizeof(T(0)))
	if size == 4 {
		kind, class = miSingle, mxSingle
	}
	name, data := v.sizes()
	b := binary.LittleEndian.AppendUint32(nil, miMatrix)
	for _, x := range []uint32{
		uint32(v.bytes()), miUint32, 8, class, 0, // flags
		miInt32, 8, uint32(v.Rows), uint32(v.Cols),
		miInt8, uint32(len(v.Name)),
	} {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	b = append(b, v.Name...)
	b = append(b, make([]byte, int(name)-len(v.Name))...)
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(data))
	for j := range v.Cols {
		for i := range v.Rows {
			x := v.Data[i*v.Stride+j]
			if size == 4 {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			} else {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(x)))
			}
			if len(b) >= 1<<16 {
				if _, err := w.Write(b); err != nil {
					return err
				}
				b = b[:0]
			}
		}
	}
	b = append(b, make([]byte, (8-data%8)%8)...)
	_, err := w.Write(b)
	return err
}
