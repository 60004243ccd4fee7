package dataset

import (
	"math/bits"
	"math/rand/v2"
)

// randomNoise is the largest noise in Random, whose entries are of order 1/4
// of the number of factors that are not zero.
const randomNoise = 0.01

// Random returns a dense nonnegative rows x cols matrix by rows: V W / rank
// plus noise in [0, 0.01), where V (rows x rank) has about one half zeros and
// the other entries of V and all entries of W are uniform in [0, 1). Row i
// depends only on cols, rank, seed and i, so that a taller matrix of the same
// seed begins with the same rows. The float32 matrix is the float64 one,
// rounded. It takes O(rows cols rank) time.
func Random[T float32 | float64](rows, cols, rank int, seed uint64) []T {
	w := make([]float64, rank*cols)
	rng := stream(seed, 0)
	for i := range w {
		w[i] = rng.Float64()
	}
	data, sum := make([]T, rows*cols), make([]float64, cols)
	for i := range rows {
		rng := stream(seed, uint64(i)+1)
		clear(sum)
		for k := range rank {
			v := max(0, float64(2*rng.Float64())-1)
			if v == 0 {
				continue
			}
			for j, x := range w[k*cols : (k+1)*cols] {
				sum[j] += float64(v * x)
			}
		}
		for j, x := range sum {
			data[i*cols+j] = T(x/float64(rank) + float64(randomNoise*rng.Float64()))
		}
	}
	return data
}

// Sparse returns a rows x cols matrix with exactly nnz entries in compressed
// row storage: row i has the columns idx[ptr[i]:ptr[i+1]], strictly
// increasing, and the values val[ptr[i]:ptr[i+1]], uniform in (0, 1]. The
// numbers of entries of two rows differ by at most one. Entry t of a row with
// k entries lies at random in the t-th of k equal pieces of the row, so the
// distance of neighbours varies between 1 and twice the mean. Time and memory
// are O(rows + nnz).
func Sparse[T float32 | float64](rows, cols, nnz int, seed uint64) (ptr []int, idx []int32, val []T) {
	ptr = make([]int, rows+1)
	for i := range ptr {
		ptr[i] = share(i, nnz, rows)
	}
	idx = make([]int32, nnz)
	val = make([]T, nnz)
	for i := range rows {
		rng := stream(seed, uint64(i))
		first, entries := ptr[i], ptr[i+1]-ptr[i]
		for t := range entries {
			lo, hi := share(t, cols, entries), share(t+1, cols, entries)
			idx[first+t] = int32(lo + below(rng, hi-lo))
			val[first+t] = T(1 - rng.Float64())
		}
	}
	return ptr, idx, val
}

// share returns the start of piece i of total, cut into pieces of nearly equal size: the
// integer part of i*total/pieces.
func share(i, total, pieces int) int {
	high, low := bits.Mul64(uint64(i), uint64(total))
	quotient, _ := bits.Div64(high, low, uint64(pieces))
	return int(quotient)
}

// below returns a number from 0 to n-1, the same on every machine. IntN may draw differently if
// int has 32 bits.
func below(rng *rand.Rand, n int) int {
	x, _ := bits.Mul64(rng.Uint64(), uint64(n))
	return int(x)
}
