package kernel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
)

// TestNewPattern checks that nothing gets through that the kernels could not
// bear.
func TestNewPattern(t *testing.T) {
	for _, c := range []struct {
		cols int
		ptr  []int
		idx  []int32
		says string
	}{
		{3, nil, nil, "without row pointers"},
		{-1, []int{0}, nil, "-1 columns"},
		{3, []int{-1, 1}, []int32{0}, "entries -1 to 1 of 1"},
		{3, []int{0, 2}, []int32{0}, "entries 0 to 2 of 1"},
		{3, []int{0, 2, 1, 2}, []int32{0, 1}, "row 1 of a pattern is entries 2 to 1 of 2"},
		{3, []int{0, 5, 2}, []int32{0, 1}, "row 0 of a pattern is entries 0 to 5 of 2"},
		{3, []int{0, 2}, []int32{0, 3}, "entry 1 of row 0 of a pattern is in column 3 of 3"},
		{3, []int{0, 0, 1}, []int32{-1}, "row 1 of a pattern is in column -1"},
	} {
		if _, err := NewPattern(c.cols, c.ptr, c.idx); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("NewPattern(%d, %v, %v) = %v, want an error that says %q", c.cols, c.ptr, c.idx, err, c.says)
		}
	}
	p := must.Get(NewPattern(4, []int{1, 3, 3, 6}, []int32{9, 1, 3, 0, 1, 2, 9}))(t)
	if p.Rows() != 3 || p.Cols() != 4 || p.Len() != 5 || len(p.Row(1)) != 0 || p.Row(2)[2] != 2 || p.Slice(1, 3).Len() != 3 {
		t.Errorf("%+v", p)
	}
	if from, to := p.Entries(2, 3); from != 3 || to != 6 {
		t.Errorf("row 2 has the entries %d to %d", from, to)
	}
}

// TestSparseWidth: at every level the width is less than a vector above r, and zeros up to it change no
// bits of the sums and products.
func TestSparseWidth(t *testing.T) { EveryLevel(t, testSparseWidth[float64], testSparseWidth[float32]) }

func testSparseWidth[T Float](t *testing.T) {
	p := must.Get(NewPattern(5, []int{0, 5, 6, 11}, []int32{0, 1, 2, 3, 4, 2, 4, 3, 2, 1, 0}))(t)
	n := make([]T, p.Len())
	for i := range n {
		n[i] = T(i + 1)
	}
	for r := 1; r <= 70; r++ {
		width := SparseWidth[T](r)
		if width < r || width >= r+max(1, 64/sizeOf[T]()) || SparseWidth[T](width) != width {
			t.Fatalf("width %d for vectors of %d", width, r)
		}
		random := rand.New(rand.NewPCG(1, uint64(r)))
		of := func(rows int) (whole, part Matrix[T]) {
			whole = NewMatrix[T](rows, width)
			for i := range rows {
				for k := range r {
					whole.Row(i)[k] = T(random.Float64())
				}
			}
			return whole, whole.Slice(0, rows, 0, r)
		}
		v, vPart := of(p.Rows())
		x, xPart := of(p.Cols())
		var outputs [2][]T
		for i, in := range [][2]Matrix[T]{{v, x}, {vPart, xPart}} {
			a, c, product := NewMatrix[T](p.Rows(), in[0].Cols), NewMatrix[T](p.Cols(), in[0].Cols), make([]T, p.Len())
			AddSparseProduct(a, p, n, 1, in[1])
			AddTransposedSparseProduct(c, p, n, 1, in[0])
			SampledProduct(product, p, in[0], in[1])
			outputs[i] = slices.Clone(product)
			AddRatioProduct(product, a, p, n, 1e-9, in[0], in[1])
			AddTransposedRatioProduct(product, c, p, n, 1e-9, in[0], in[1])
			for _, m := range []Matrix[T]{a, c} {
				for k := range m.Rows {
					outputs[i] = append(outputs[i], m.Row(k)[:r]...)
				}
			}
		}
		must.EqualSlices(t, outputs[0], outputs[1], "vectors of", r, "other numbers with zeros up to", width)
	}
}
