package dataset

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestText(t *testing.T) {
	const words, documents, topics, length = 200, 60, 5, 40
	ptr, idx, val, err := Text[float64](words, documents, topics, length, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(ptr) != words+1 || ptr[0] != 0 || ptr[words] != len(idx) || len(idx) != len(val) {
		t.Fatalf("%d pointers to %d and %d entries", len(ptr), len(idx), len(val))
	}
	counts := make([]float64, documents) // of words
	for w := range words {
		row := idx[ptr[w]:ptr[w+1]]
		if !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) != len(row) {
			t.Errorf("row %d has the columns %v", w, row)
		}
		for i, d := range row {
			counts[d] += val[ptr[w]+i] * val[ptr[w]+i]
		}
	}
	for d, n := range counts {
		if n < length-1e-9 || n > length+1e-9 {
			t.Errorf("document %d has %v words", d, n)
		}
	}
	_, again, _, err := Text[float32](words, documents, topics, length, 3)
	if err != nil || !slices.Equal(idx, again) {
		t.Errorf("the same arguments give other documents (%v)", err)
	}
	if _, other, _, err := Text[float64](words, documents, topics, length, 4); err != nil || slices.Equal(idx, other) {
		t.Errorf("another seed gives the same documents (%v)", err)
	}
	for _, c := range [][4]int{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, math.MaxInt, 1}} {
		if _, _, _, err := Text[float64](c[0], c[1], c[2], c[3], 1); !errors.Is(err, ErrSize) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
