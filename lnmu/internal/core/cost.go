package core

import "math"

// Cost is an upper bound on what a factorization of a matrix in files takes, in bytes.
type Cost struct {
	Memory, Scratch int64 // of memory, with the results; of the directory for scratch files
	Reads, Writes   int64 // of an iteration of one block of factors
}

// Bytes returns x as a number of bytes, at most math.MaxInt64.
func Bytes(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(x)
}
