package element

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"
)

// Mul returns a*b for a, b >= 0, and whether the product fits.
func Mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// Plus returns a+b for a, b >= 0, at most math.MaxInt64.
func Plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Times returns a*b for a, b >= 0, at most math.MaxInt64.
func Times(a, b int64) int64 {
	if p, ok := Mul(a, b); ok {
		return p
	}
	return math.MaxInt64
}

// SizeOf returns the bytes of n elements of type E, at most math.MaxInt64.
func SizeOf[E any](n int64) int64 {
	var zero E
	return Times(n, int64(unsafe.Sizeof(zero)))
}

// Parse is strconv.ParseFloat for what other programs take for a number: without
// the underscores and the hexadecimal digits of Go, and with the D of Fortran's
// exponents where a point or a sign shows that it is one.
func Parse(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && (strings.IndexByte(s, '_') >= 0 || len(s) > 2 && (s[1]|' ' == 'x' || s[2]|' ' == 'x')) {
		return 0, strconv.ErrSyntax
	}
	if err == nil {
		return x, nil
	}
	if d := strings.IndexAny(s, "dD"); d > 0 && (strings.Contains(s[:d], ".") || d+1 < len(s) && (s[d+1] == '+' || s[d+1] == '-')) {
		return Parse(s[:d] + "e" + s[d+1:])
	}
	return x, err
}
