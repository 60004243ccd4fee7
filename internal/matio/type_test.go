package matio_test

import (
	"encoding/binary"
	"math"
	"testing"

	"nmu/internal/matio/internal/element"
)

// Numbers of half precision, normal and not, in both byte orders.
func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0: 0, 0x8000: math.Copysign(0, -1), 0x3c00: 1, 0xc000: -2, 0x3555: 0.333251953125, 0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24, 0x83ff: -1023 * 0x1p-24,
		0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x7e00: math.NaN(),
	} {
		for _, big := range []bool{false, true} {
			src := binary.LittleEndian.AppendUint16(nil, bits)
			if big {
				src = binary.BigEndian.AppendUint16(nil, bits)
			}
			var got [1]float64
			element.Type{Kind: 'f', Size: 2, Big: big}.Floats(got[:], src)
			if math.Float64bits(got[0]) != math.Float64bits(want) && !(got[0] != got[0] && want != want) {
				t.Errorf("%#x: %v, want %v", bits, got[0], want)
			}
		}
	}
}

// Integers of every size, sign and byte order are what encoding/binary reads.
func TestInts(t *testing.T) {
	bytes := []byte{0x80, 0xff, 0x01, 0x7f, 0xfe, 0x00, 0xc3, 0x10, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for _, big := range []bool{false, true} {
		var order binary.ByteOrder = binary.LittleEndian
		if big {
			order = binary.BigEndian
		}
		for size, read := range map[int]func(b []byte) (signed, unsigned int64){
			1: func(b []byte) (int64, int64) { return int64(int8(b[0])), int64(b[0]) },
			2: func(b []byte) (int64, int64) { return int64(int16(order.Uint16(b))), int64(order.Uint16(b)) },
			4: func(b []byte) (int64, int64) { return int64(int32(order.Uint32(b))), int64(order.Uint32(b)) },
			8: func(b []byte) (int64, int64) { return int64(order.Uint64(b)), int64(order.Uint64(b)) },
		} {
			for _, kind := range []byte{'i', 'u'} {
				got := make([]int64, len(bytes)/size)
				element.Type{Kind: kind, Size: size, Big: big}.Ints(got, append([]byte(nil), bytes...))
				for k, x := range got {
					want, unsigned := read(bytes[k*size:])
					if kind == 'u' {
						want = unsigned
					}
					if x != want {
						t.Errorf("number %d of type %c%d, big endian %v: %d, want %d", k, kind, size, big, x, want)
					}
				}
			}
		}
	}
}
