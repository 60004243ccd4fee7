package subject

import (
	"slices"
	"testing"
)

// TestTextMatrix checks that the matrix is one, and that it is like texts: a tenth
// of the words are most of the entries, and some rows are much longer than others.
func TestTextMatrix(t *testing.T) {
	m := TextMatrix[float64](500, 2000, 20000, 3)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if n := len(m.Val); n < 19000 || n > 20500 {
		t.Errorf("%d nonzeros, want about 20000", n)
	}
	counts, longest := make([]int, m.Cols), 0
	for _, j := range m.Idx {
		counts[j]++
	}
	for i := range m.Rows {
		longest = max(longest, m.Ptr[i+1]-m.Ptr[i])
	}
	slices.Sort(counts)
	frequent := 0
	for _, n := range counts[m.Cols-m.Cols/10:] {
		frequent += n
	}
	if 2*frequent < len(m.Val) || longest < 3*len(m.Val)/m.Rows {
		t.Errorf("the most frequent tenth of the words has %d of %d entries, the longest row %d", frequent, len(m.Val), longest)
	}
	same := TextMatrix[float32](500, 2000, 20000, 3)
	if !slices.Equal(same.Ptr, m.Ptr) || !slices.Equal(same.Idx, m.Idx) || same.Val[7] != float32(m.Val[7]) {
		t.Error("another matrix in float32")
	}
}
