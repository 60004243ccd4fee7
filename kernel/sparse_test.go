package kernel

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
)

// somePattern returns a pattern of entries in rows of random lengths, some of
// which are empty, that is a view of a larger one.
func somePattern(rng *rand.Rand, rows, cols, entries int) Pattern {
	idx := make([]int32, entries+5)
	for t := range idx {
		idx[t] = int32(rng.IntN(max(cols, 1)))
	}
	ptr := make([]int, rows+3)
	ptr[1], ptr[rows+1], ptr[rows+2] = 3, 3+entries, 5+entries
	for i := 2; i <= rows; i++ {
		ptr[i] = 3 + rng.IntN(entries+1)
		for k := i; ptr[k] < ptr[k-1]; k-- {
			ptr[k], ptr[k-1] = ptr[k-1], ptr[k]
		}
	}
	p, err := NewPattern(max(cols, 1), ptr, idx)
	if err != nil {
		panic(err)
	}
	p.cols = cols
	return p.Slice(1, rows+1)
}

// sparseShapes are rows, columns, entries, r: all widths of vectors and their
// edges, and rows beyond the work of one call.
func sparseShapes() [][]int {
	s := checkasm.Grid([]int{1, 5}, []int{1, 7}, []int{1, 23}, append(upTo(34), 47, 48, 49, 63, 64, 65, 100, 129))
	return append(s, []int{3, 5, 0, 4}, []int{2, 3, 5, 0}, []int{2, 40, 3000, 50}, []int{900, 40, 1500, 61}, []int{3, 4, 20000, 10})
}

func addSparseKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "AddSparseProduct", Block: 1, Values: values(), Places: places(), Assembled: nonempty, Body: noBody(isa.NEON),
		Distinct: [][]int{{5, 7, 23, 3}, {4, 6, 30, 19}},
		Shapes:   sparseShapes(),
		Setup: func(c *checkasm.Case[T]) {
			rows, cols, entries, r := c.Shape[0], c.Shape[1], c.Shape[2], c.Shape[3]
			s := somePattern(c.Rand, rows, cols, entries)
			c.Fixed(rows, cols, entries)
			a := c.InOutMatrix("A", rows, r, stride(c, r))
			x := c.InMatrix("X", cols, r, stride(c, r))
			n := c.In("N", entries)
			g := c.Scalar("g")
			c.Reference(func() { addSparseProductGeneric(want(a), s, n.Data, g, data(x)) })
			c.Call(func() { AddSparseProduct(data(a), s, n.Data, g, data(x)) })
		},
		BenchShape: sparseBench, Flops: sparseFlops,
	}
}

func addTransposedKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "AddTransposedSparseProduct", Block: 1, Values: values(), Places: places(), Assembled: nonempty, Body: noBody(isa.NEON),
		Distinct: [][]int{{5, 7, 23, 3}, {4, 6, 30, 19}},
		Shapes:   sparseShapes(),
		Setup: func(c *checkasm.Case[T]) {
			rows, cols, entries, r := c.Shape[0], c.Shape[1], c.Shape[2], c.Shape[3]
			s := somePattern(c.Rand, rows, cols, entries)
			c.Fixed(rows, cols, entries)
			to := c.InOutMatrix("C", cols, r, stride(c, r))
			v := c.InMatrix("V", rows, r, stride(c, r))
			n := c.In("N", entries)
			g := c.Scalar("g")
			c.Reference(func() { addTransposedGeneric(want(to), s, n.Data, g, data(v)) })
			c.Call(func() { AddTransposedSparseProduct(data(to), s, n.Data, g, data(v)) })
		},
		BenchShape: sparseBench, Flops: sparseFlops,
	}
}

func sampledKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "SampledProduct", Block: 1, Values: values(), Places: places(), Assembled: nonempty, Body: noBody(isa.NEON),
		Distinct: [][]int{{5, 7, 23, 3}, {4, 6, 30, 19}},
		Shapes:   sparseShapes(),
		Setup: func(c *checkasm.Case[T]) {
			rows, cols, entries, r := c.Shape[0], c.Shape[1], c.Shape[2], c.Shape[3]
			s := somePattern(c.Rand, rows, cols, entries)
			c.Fixed(rows, cols, entries)
			p := c.Out("P", entries)
			v := c.InMatrix("V", rows, r, stride(c, r))
			x := c.InMatrix("X", cols, r, stride(c, r))
			c.Reference(func() { sampledProductGeneric(p.Want, s, data(v), data(x)) })
			c.Call(func() { SampledProduct(p.Data, s, data(v), data(x)) })
		},
		BenchShape: sparseBench, Flops: sparseFlops,
	}
}

// sparseBench is rank 10 and 20 entries a row; X takes most of the memory.
func sparseBench(n int) []int { return []int{n/32 + 1, n/16 + 1, n/2 + 1, 10} }

func sparseFlops(s []int) float64 { return 2 * float64(s[2]) * float64(s[3]) }

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
	p, err := NewPattern(4, []int{1, 3, 3, 6}, []int32{9, 1, 3, 0, 1, 2, 9})
	if err != nil {
		t.Fatal(err)
	}
	if p.Rows() != 3 || p.Cols() != 4 || p.Len() != 5 || len(p.Row(1)) != 0 || p.Row(2)[2] != 2 || p.Slice(1, 3).Len() != 3 {
		t.Errorf("%+v", p)
	}
	if from, to := p.Entries(2, 3); from != 3 || to != 6 {
		t.Errorf("row 2 has the entries %d to %d", from, to)
	}
}
