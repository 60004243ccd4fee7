package matio

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// maxInflate bounds how many bytes one deflated byte expands to: at best two
// bits stand for 258 bytes.
const maxInflate = 1032

// mul returns a*b for a, b >= 0 and whether it fits.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

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

// plainArray is n elements that lie in the file as they are, from byte off.
type plainArray struct {
	f   *File
	dt  dtype
	off int64
	n   int64
}

func (a *plainArray) verify() error { return nil } // Open compared with the size of the file

func (a *plainArray) open() (source, error) { return a.numbers() }

func (a *plainArray) count() int64 { return a.n }

func (a *plainArray) elements() dtype { return a.dt }

func (a *plainArray) numbers() (*numbers, error) { return a.from(0), nil }

// from starts reading the elements from the given one on.
func (a *plainArray) from(first int64) *numbers {
	size := int64(a.dt.size)
	off := a.off + first*size
	return &numbers{f: a.f, dt: a.dt, r: io.NewSectionReader(a.f.file, off, (a.n-first)*size), off: off}
}

// numbers is the source of elements of type dt that r delivers.
type numbers struct {
	f    *File
	dt   dtype
	r    io.Reader
	off  int64        // for messages: byte of the file, or of the data once inflated
	done func() error // checks the end, may be nil
	buf  []byte
}

// chunk is how many elements are read at once.
const chunk = 8192

// bytes returns the next n elements, n <= chunk.
func (s *numbers) bytes(n int) ([]byte, error) {
	if s.buf == nil {
		s.buf = make([]byte, chunk*s.dt.size)
	}
	b := s.buf[:n*s.dt.size]
	k, err := io.ReadFull(s.r, b)
	s.off += int64(k)
	if err != nil {
		return nil, s.f.readError(s.off, err)
	}
	return b, nil
}

func (s *numbers) next(dst []float64) error {
	for len(dst) > 0 {
		n := min(chunk, len(dst))
		b, err := s.bytes(n)
		if err != nil {
			return err
		}
		s.dt.floats(dst[:n], b)
		dst = dst[n:]
	}
	return nil
}

// eachInt calls do for the next n elements, which are integers.
func (s *numbers) eachInt(n int64, do func(i int, v int64) error) error {
	var v [chunk]int64
	for i := int64(0); i < n; {
		k := int(min(chunk, n-i))
		b, err := s.bytes(k)
		if err != nil {
			return err
		}
		s.dt.ints(v[:k], b)
		for j, x := range v[:k] {
			if err := do(int(i)+j, x); err != nil {
				return err
			}
		}
		i += int64(k)
	}
	return nil
}

func (s *numbers) close() error {
	if s.done == nil {
		return nil
	}
	return s.done()
}
