package core

import "math"

// Cost is an upper bound on the resources of a factorization of a matrix in files, in bytes.
type Cost struct {
	Memory, Scratch int64 // memory with the results; scratch files
	Reads, Writes   int64 // in an iteration of one block of factors
}

// Bytes returns x as a number of bytes, at most math.MaxInt64.
func Bytes(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(x)
}
