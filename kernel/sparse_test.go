package kernel

import (
	"strings"
	"testing"
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
