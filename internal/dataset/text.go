package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
)

// Constants of a text: the fraction of words that all topics share, and the largest number of
// topics in a document.
const (
	commonWords = 0.3
	mostTopics  = 3
)

// Text returns a words x documents matrix that imitates a collection of documents, in
// compressed row storage (see Sparse). An entry is the square root of the count of a word in a
// document of the given length. A document has one to three topics. The k-th word of a topic occurs
// 1/k times as often as its first one; each topic has its own order of all words. Three words
// in ten come from an order that all topics share. Time is O(documents length log(words)),
// memory O(topics words + documents length).
func Text[T float32 | float64](words, documents, topics, length int, seed uint64) (ptr []int, idx []int32, val []T, err error) {
	if words < 1 || documents < 1 || topics < 1 || length < 1 {
		return nil, nil, nil, fmt.Errorf("%w: %d words, %d documents, %d topics and %d words in each; all must be at least 1", ErrSize, words, documents, topics, length)
	}
	if topics == math.MaxInt || words > math.MaxInt32 || documents > math.MaxInt32 || !fits(topics+1, words) || !fits(documents, length) {
		return nil, nil, nil, fmt.Errorf("%w: %d words, %d topics and %d documents of %d words are too large", ErrSize, words, topics, documents, length)
	}
	cumulated := make([]float64, words) // Σ 1/k
	var sum float64
	for k := range cumulated {
		sum += 1 / float64(k+1)
		cumulated[k] = sum
	}
	order := make([][]int32, topics+1) // of the topics, and of what they share
	for t := range order {
		rng := stream(seed, uint64(t))
		order[t] = make([]int32, words)
		for i := range order[t] {
			j := below(rng, i+1)
			order[t][i] = order[t][j]
			order[t][j] = int32(i)
		}
	}
	type cell struct{ word, document int32 }
	all := make([]cell, 0, documents*length)
	for d := range documents {
		rng := stream(seed, uint64(topics+1+d))
		var of [mostTopics]int
		count := 1 + below(rng, mostTopics)
		for i := range count {
			of[i] = below(rng, topics)
		}
		for range length {
			from := order[topics]
			if rng.Float64() >= commonWords {
				from = order[of[below(rng, count)]]
			}
			k := sort.SearchFloat64s(cumulated, float64(sum*rng.Float64()))
			all = append(all, cell{from[min(k, words-1)], int32(d)})
		}
	}
	slices.SortFunc(all, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.document, b.document))
	})
	ptr = make([]int, words+1)
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		ptr[all[i].word+1]++
		idx = append(idx, all[i].document)
		val = append(val, T(math.Sqrt(float64(n))))
		i += n
	}
	for w := range words {
		ptr[w+1] += ptr[w]
	}
	return ptr, idx, val, nil
}

// below returns a number from 0 to n-1, the same on every machine. IntN may draw differently if
// int has 32 bits.
func below(rng *rand.Rand, n int) int {
	x, _ := bits.Mul64(rng.Uint64(), uint64(n))
	return int(x)
}
