package matiotest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// LE and BE are the byte orders.
var (
	LE binary.AppendByteOrder = binary.LittleEndian
	BE binary.AppendByteOrder = binary.BigEndian
)

// BytesOf returns v as numbers of a NumPy type such as "<f8".
func BytesOf(v []float64, descr string) []byte {
	order := LE
	if descr[0] == '>' {
		order = BE
	}
	var b []byte
	for _, x := range v {
		switch descr[1:] {
		case "f8":
			b = order.AppendUint64(b, math.Float64bits(x))
		case "f4":
			b = order.AppendUint32(b, math.Float32bits(float32(x)))
		case "i8", "u8":
			b = order.AppendUint64(b, uint64(int64(x)))
		case "i4", "u4":
			b = order.AppendUint32(b, uint32(int64(x)))
		case "i2", "u2":
			b = order.AppendUint16(b, uint16(int64(x)))
		case "i1", "u1", "b1":
			b = append(b, byte(int64(x)))
		default:
			panic(descr)
		}
	}
	return b
}

// NpyDict returns a .npy file with this text as header.
func NpyDict(version byte, dict string, data []byte) []byte {
	b := []byte("\x93NUMPY")
	b = append(b, version, 0)
	if version == 1 {
		b = LE.AppendUint16(b, uint16(len(dict)))
	} else {
		b = LE.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), data...)
}

// NpyFile returns a .npy file of a version with this header and data.
func NpyFile(version byte, descr string, fortran bool, shape string, data []byte) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	preface := 10 // bytes
	if version > 1 {
		preface = 12
	}
	return NpyDict(version, dict+strings.Repeat(" ", 63-(preface+len(dict))%64)+"\n", data) // the data begin at a multiple of 64
}
