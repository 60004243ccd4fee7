package fuzz

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"nmu/internal/checkasm"
)

// source makes the choices of a case. They come from the input of the fuzzer,
// and when that is used up from a generator seeded with it, so that every input
// makes a whole case and a short one can be mutated with effect.
//
//	input  c4 01 7f 00 ...  | end
//	       n  n  n  word ... | PCG(hash of input)
type source struct {
	input []byte
	more  *rand.PCG
}

func newSource(input []byte) *source {
	h := fnv.New64a()
	h.Write(input)
	return &source{input, rand.NewPCG(h.Sum64(), 0)}
}

// n returns a number in [0, n), n <= 65536, from one byte of the input, or two.
func (s *source) n(n int) int {
	size := 1
	if n > 256 {
		size = 2
	}
	if len(s.input) < size {
		return int(s.more.Uint64() % uint64(n))
	}
	x := int(s.input[0])
	if size == 2 {
		x |= int(s.input[1]) << 8
	}
	s.input = s.input[size:]
	return x % n
}

// one says yes once in n times.
func (s *source) one(n int) bool { return s.n(n) == n-1 }

// Uint64 makes a source one of a rand.Rand.
func (s *source) Uint64() uint64 {
	if len(s.input) < 8 {
		return s.more.Uint64()
	}
	x := binary.LittleEndian.Uint64(s.input)
	s.input = s.input[8:]
	return x
}

// size returns an extent: mostly up to 40, sometimes up to 300, rarely up to most.
func (s *source) size(most int) int {
	switch c := s.n(16); {
	case c < 12:
		return min(s.n(41), most)
	case c < 15:
		return min(s.n(301), most)
	}
	return s.n(most + 1)
}

// within lowers the smaller extents until their product is at most limit.
func within(limit int, extents ...*int) {
	for {
		product, least := 1, (*int)(nil)
		for _, e := range extents {
			product *= max(*e, 1)
			if *e > 1 && (least == nil || *e < *least) {
				least = e
			}
		}
		if product <= limit || least == nil {
			return
		}
		*least /= 2
	}
}

// anyBits is a class of values beside those of checkasm: every bit pattern.
const anyBits = checkasm.NonFinite + 1

// class returns a class of values.
func (s *source) class() checkasm.Values { return checkasm.Values(s.n(int(anyBits) + 1)) }

// fill sets x to values of a class.
func fill[T checkasm.Float](s *source, x []T, class checkasm.Values) {
	if class != anyBits {
		checkasm.Fill(x, class, rand.New(s))
		return
	}
	for i := range x {
		x[i] = fromBits[T](s.Uint64())
	}
}

// draw returns one value of a class.
func draw[T checkasm.Float](s *source, class checkasm.Values) T {
	var x [1]T
	fill(s, x[:], class)
	return x[0]
}

func fromBits[T checkasm.Float](bits uint64) (x T) {
	switch p := any(&x).(type) {
	case *float32:
		*p = math.Float32frombits(uint32(bits))
	case *float64:
		*p = math.Float64frombits(bits)
	}
	return x
}
