package matiotest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"strings"
)

// MatPart writes a data element: type, size, data, padding to 8 bytes. Small data
// go into the tag if small is set.
func MatPart(o binary.AppendByteOrder, small bool, kind uint32, data []byte) []byte {
	if small && len(data) > 0 && len(data) <= 4 {
		b := o.AppendUint32(nil, uint32(len(data))<<16|kind)
		return append(append(b, data...), make([]byte, 4-len(data))...)
	}
	b := o.AppendUint32(o.AppendUint32(nil, kind), uint32(len(data)))
	b = append(b, data...)
	return append(b, make([]byte, -len(data)&7)...)
}

// Uint32s returns numbers as bytes in order o.
func Uint32s(o binary.AppendByteOrder, v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = o.AppendUint32(b, x)
	}
	return b
}

// MatArrayElement writes an array: flags, dimensions, name, and parts.
func MatArrayElement(o binary.AppendByteOrder, name string, flags [2]uint32, dims []uint32, parts ...[]byte) []byte {
	b := MatPart(o, false, 6, Uint32s(o, flags[0], flags[1]))
	b = append(b, MatPart(o, false, 5, Uint32s(o, dims...))...)
	b = append(b, MatPart(o, true, 1, []byte(name))...)
	for _, p := range parts {
		b = append(b, p...)
	}
	return MatPart(o, false, 14, b)
}

// MatDense returns m as an array element of class double.
func MatDense(o binary.AppendByteOrder, name string, m Matrix) []byte {
	var b []byte
	for _, v := range m.Transpose().Data {
		b = o.AppendUint64(b, math.Float64bits(v))
	}
	return MatArrayElement(o, name, [2]uint32{6, 0}, []uint32{uint32(m.Rows), uint32(m.Cols)}, MatPart(o, false, 9, b))
}

// Deflated returns a compressed element that holds the elements e.
func Deflated(o binary.AppendByteOrder, e []byte) []byte {
	var buf bytes.Buffer
	w := zlib.NewWriter(&buf)
	w.Write(e)
	w.Close()
	return append(Uint32s(o, 15, uint32(buf.Len())), buf.Bytes()...)
}

// MatFile5 returns a MATLAB file with these elements.
func MatFile5(o binary.AppendByteOrder, elements ...[]byte) []byte {
	head := "MATLAB 5.0 MAT-file, written by a test"
	b := []byte(head + strings.Repeat(" ", 116-len(head)) + "\x00\x00\x00\x00\x00\x00\x00\x00")
	b = o.AppendUint16(b, 0x0100)
	b = o.AppendUint16(b, 'M'<<8|'I')
	for _, e := range elements {
		b = append(b, e...)
	}
	return b
}

// MatSparseElement returns a sparse 2 x 3 array as an element.
func MatSparseElement(o binary.AppendByteOrder, flags [2]uint32, ir, jc []uint32, values []byte) []byte {
	return MatArrayElement(o, "S", flags, []uint32{2, 3}, MatPart(o, true, 5, Uint32s(o, ir...)), MatPart(o, true, 5, Uint32s(o, jc...)), values)
}
