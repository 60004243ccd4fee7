package subject

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"nmu/internal/dataset"
	"nmu/lnmu"
)

// Documents returns a sparse matrix of topics: a row for each word, a column for each
// document.
func Documents(words, documents, topics, length int) (lnmu.CSR[float64], error) {
	ptr, idx, val, err := dataset.Text[float64](words, documents, topics, length, 1)
	if err != nil {
		return lnmu.CSR[float64]{}, fmt.Errorf("bench: the problem %s: %w", Text, err)
	}
	return lnmu.CSR[float64]{Rows: words, Cols: documents, Ptr: ptr, Idx: idx, Val: val}, nil
}

// TextMatrix returns a sparse matrix with the structure of texts: a row for each text, a
// column for each word. Text lengths are lognormal, and word j has probability 1/j (Zipf's
// law). Columns are in random order. The matrix has about nnz entries, uniform in (0, 1].
func TextMatrix[T lnmu.Float](rows, cols, nnz int, seed uint64) lnmu.CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 0))
	word := rng.Perm(cols)
	length, total := make([]float64, rows), 0.0
	for i := range length {
		length[i] = math.Exp(0.8 * rng.NormFloat64())
		total += length[i]
	}
	c := lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	last := make([]int, cols) // 1-based number of the last row that contains the word
	for i := range rows {
		first := len(c.Idx)
		want := min(int(math.Round(length[i]/total*float64(nnz))), cols/4) // drawing all is slow
		for len(c.Idx)-first < want {
			// Uniform in the logarithm: the probability of j is log(1 + 1/j) / log(cols+1).
			j := word[min(int(math.Exp(rng.Float64()*math.Log(float64(cols+1))))-1, cols-1)]
			if last[j] != i+1 {
				last[j] = i + 1
				c.Idx = append(c.Idx, int32(j))
				c.Val = append(c.Val, T(1-rng.Float64()))
			}
		}
		slices.Sort(c.Idx[first:])
		c.Ptr[i+1] = len(c.Idx)
	}
	return c
}
