package fuzz

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"testing"

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

// either returns a target that is of float64 or of float32.
func either(double, single func(*testing.T, *source)) func(*testing.T, []byte) {
	return func(t *testing.T, input []byte) {
		if s := newSource(input); s.one(2) {
			double(t, s)
		} else {
			single(t, s)
		}
	}
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

// IntN is n under the name that rand.Rand has for it.
func (s *source) IntN(n int) int { return s.n(n) }

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
	for lowered := true; lowered; {
		product := 1
		for _, e := range extents {
			product *= max(*e, 1)
		}
		lowered = product > limit && halve(extents...)
	}
}

// halve halves the smallest extent above 1, and says whether there is one.
func halve(extents ...*int) bool {
	least := (*int)(nil)
	for _, e := range extents {
		if *e > 1 && (least == nil || *e < *least) {
			least = e
		}
	}
	if least == nil {
		return false
	}
	*least /= 2
	return true
}

// fill sets x to values of a class.
func fill[T checkasm.Float](s *source, x []T, class checkasm.Values) {
	checkasm.Fill(x, class, rand.New(s))
}

// draw returns one value of a class.
func draw[T checkasm.Float](s *source, class checkasm.Values) T {
	return checkasm.Draw[T](class, rand.New(s))
}
