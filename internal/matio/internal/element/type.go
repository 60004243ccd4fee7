// Package element has the types of numbers in files and in memory, and arithmetic on sizes that
// does not overflow.
package element

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Float is the element type of a matrix in memory.
type Float interface{ float32 | float64 }

// HostBigEndian says that this machine stores the most significant byte first.
var HostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// Type is the type of the numbers of an array in a file.
type Type struct {
	Kind byte // 'f' float, 'i' integer, 'u' unsigned, 'b' boolean
	Size int  // bytes
	Big  bool // byte order
}

// String returns NumPy's name of the type, such as float64.
func (d Type) String() string {
	name := map[byte]string{'f': "float", 'i': "int", 'u': "uint"}[d.Kind]
	if name == "" {
		return "bool"
	}
	return name + strconv.Itoa(8*d.Size)
}

// reverse reverses the byte order of each element in b.
func (d Type) reverse(b []byte) {
	for i := 0; i+d.Size <= len(b); i += d.Size {
		slices.Reverse(b[i : i+d.Size])
	}
}

// Floats converts the elements in src to dst. It may change src.
func (d Type) Floats(dst []float64, src []byte) {
	if d.Kind != 'f' {
		var ints [256]int64
		for len(dst) > 0 {
			n := min(len(dst), len(ints))
			d.Ints(ints[:n], src[:n*d.Size])
			for i, x := range ints[:n] {
				switch dst[i] = float64(x); {
				case d.Kind == 'b' && x != 0:
					dst[i] = 1
				case d.Kind == 'u' && x < 0:
					dst[i] = float64(uint64(x))
				}
			}
			dst, src = dst[n:], src[n*d.Size:]
		}
		return
	}
	if d.Big {
		d.reverse(src)
	}
	le := binary.LittleEndian
	switch d.Size {
	case 8:
		for i := range dst {
			dst[i] = math.Float64frombits(le.Uint64(src[8*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(le.Uint32(src[4*i:])))
		}
	case 2:
		for i := range dst {
			dst[i] = half(le.Uint16(src[2*i:]))
		}
	default:
		panic(fmt.Sprintf("matio: type %c%d", d.Kind, d.Size)) // readers admit the above only
	}
}

// half returns a number of half precision.
func half(bits uint16) float64 {
	fraction, exponent := float64(bits&0x3ff), int(bits>>10&0x1f)
	x := math.Ldexp(fraction, -24)
	switch {
	case exponent == 0x1f && fraction == 0:
		x = math.Inf(1)
	case exponent == 0x1f:
		x = math.NaN()
	case exponent > 0:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	return math.Copysign(x, float64(int16(bits)))
}

// Ints converts the integer elements in src to dst. It may change src. An unsigned number
// beyond int64 becomes negative, which is no valid index.
func (d Type) Ints(dst []int64, src []byte) {
	if d.Big && d.Size > 1 {
		d.reverse(src)
	}
	for i := range dst {
		switch b := src[i*d.Size:]; d.Size {
		case 1:
			dst[i] = int64(b[0])
		case 2:
			dst[i] = int64(binary.LittleEndian.Uint16(b))
		case 4:
			dst[i] = int64(binary.LittleEndian.Uint32(b))
		case 8:
			dst[i] = int64(binary.LittleEndian.Uint64(b))
		default:
			panic(fmt.Sprintf("matio: type %c%d", d.Kind, d.Size)) // readers admit the above only
		}
	}
	if d.Kind == 'i' && d.Size < 8 {
		shift := 64 - 8*d.Size
		for i, x := range dst {
			dst[i] = x << shift >> shift
		}
	}
}

// Single says whether float32 holds every number of the type.
func (d Type) Single() bool { return d.Kind == 'f' && d.Size <= 4 || d.Kind != 'f' && d.Size <= 2 }
