package matio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Float is the element type of a matrix in memory.
type Float interface{ float32 | float64 }

// hostBigEndian says that this machine stores the most significant byte first.
var hostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// dtype is the type of the numbers of an array in a file.
type dtype struct {
	kind byte // 'f' float, 'i' integer, 'u' unsigned, 'b' boolean
	size int  // bytes
	big  bool // byte order
}

func (d dtype) String() string {
	name := map[byte]string{'f': "float", 'i': "int", 'u': "uint"}[d.kind]
	if name == "" {
		return "bool"
	}
	return name + strconv.Itoa(8*d.size)
}

// reverse turns round the bytes of each element in b.
func (d dtype) reverse(b []byte) {
	for i := 0; i+d.size <= len(b); i += d.size {
		slices.Reverse(b[i : i+d.size])
	}
}

// floats converts the elements in src, which it may change.
func (d dtype) floats(dst []float64, src []byte) {
	if d.big && d.size > 1 {
		d.reverse(src)
	}
	le := binary.LittleEndian
	switch [2]byte{d.kind, byte(d.size)} {
	case [2]byte{'f', 8}:
		for i := range dst {
			dst[i] = math.Float64frombits(le.Uint64(src[8*i:]))
		}
	case [2]byte{'f', 4}:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(le.Uint32(src[4*i:])))
		}
	case [2]byte{'b', 1}:
		for i := range dst {
			dst[i] = 0
			if src[i] != 0 {
				dst[i] = 1
			}
		}
	case [2]byte{'i', 1}:
		for i := range dst {
			dst[i] = float64(int8(src[i]))
		}
	case [2]byte{'u', 1}:
		for i := range dst {
			dst[i] = float64(src[i])
		}
	case [2]byte{'i', 2}:
		for i := range dst {
			dst[i] = float64(int16(le.Uint16(src[2*i:])))
		}
	case [2]byte{'u', 2}:
		for i := range dst {
			dst[i] = float64(le.Uint16(src[2*i:]))
		}
	case [2]byte{'i', 4}:
		for i := range dst {
			dst[i] = float64(int32(le.Uint32(src[4*i:])))
		}
	case [2]byte{'u', 4}:
		for i := range dst {
			dst[i] = float64(le.Uint32(src[4*i:]))
		}
	case [2]byte{'i', 8}:
		for i := range dst {
			dst[i] = float64(int64(le.Uint64(src[8*i:])))
		}
	case [2]byte{'u', 8}:
		for i := range dst {
			dst[i] = float64(le.Uint64(src[8*i:]))
		}
	default:
		panic(fmt.Sprintf("matio: type %c%d", d.kind, d.size)) // readers admit the above only
	}
}

// ints converts integer elements in src, which it may change. An unsigned
// number that does not fit becomes negative, which no index may be.
func (d dtype) ints(dst []int64, src []byte) {
	if d.big && d.size > 1 {
		d.reverse(src)
	}
	for i := range dst {
		var u uint64
		for k := d.size - 1; k >= 0; k-- {
			u = u<<8 | uint64(src[i*d.size+k])
		}
		if d.kind == 'i' {
			shift := 64 - 8*d.size
			dst[i] = int64(u<<shift) >> shift
		} else {
			dst[i] = int64(u)
		}
	}
}

// single says whether float32 holds every number of the type.
func (d dtype) single() bool { return d.kind == 'f' && d.size == 4 || d.kind != 'f' && d.size <= 2 }
