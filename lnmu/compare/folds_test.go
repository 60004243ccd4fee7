package compare

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
)

// Every observed entry is held out by one fold, as many in each row as by any other
// fold but for one, and no row or column is left without an entry.
func TestSpeckle(t *testing.T) {
	for _, c := range []struct {
		rows, cols, folds, kept int // kept < 0: some
		observed                func(i, j int) bool
	}{
		{40, 30, 5, 0, nil},
		{30, 41, 2, 0, nil},
		{50, 50, 10, 0, func(i, j int) bool { return (i*7+j*3)%4 != 0 }},
		{3, 3, 2, -1, nil},
		{1, 6, 3, 6, nil},
		{6, 1, 3, 6, nil},
		{1, 1, 2, 1, nil},
		{20, 20, 5, 20, func(i, j int) bool { return i == j }},
	} {
		name := fmt.Sprintf("%d x %d in %d", c.rows, c.cols, c.folds)
		p := speckle(c.rows, c.cols, c.folds, 3, c.observed)
		held, observed, kept := make([]int, c.folds), 0, 0
		for i := range c.rows {
			row, keptBefore := make([]int, c.folds), kept
			for j, l := range p.row(i) {
				if seen := c.observed == nil || c.observed(i, j); seen != (l != missing) {
					t.Fatalf("%s: (%d, %d) observed: %t, label %d", name, i, j, seen, l)
				}
				switch l {
				case missing:
				case always:
					kept++
				default:
					row[l]++
					held[l]++
					observed++
				}
			}
			if slices.Max(row)-slices.Min(row) > 1+kept-keptBefore {
				t.Errorf("%s: row %d is shared out as %v", name, i, row)
			}
		}
		if observed += kept; p.observed != observed || p.kept != kept || !slices.Equal(p.held, held) || c.kept >= 0 && kept != c.kept || c.kept < 0 && kept == 0 {
			t.Errorf("%s: %d observed, %d kept, held out %v; counted are %d, %d (want %d), %v", name, p.observed, p.kept, p.held, observed, kept, c.kept, held)
		}
		for f := range c.folds {
			k := p.mask(f)
			lines := make([]bool, c.rows+c.cols)
			for i := range c.rows {
				for j, l := range p.row(i) {
					in := k.Observed(i, j)
					if in != (l != missing && int(l) != f) {
						t.Fatalf("%s: fold %d masks (%d, %d) with label %d", name, f, i, j, l)
					}
					lines[i], lines[c.rows+j] = lines[i] || in, lines[c.rows+j] || in
				}
			}
			if x := slices.Index(lines, false); x >= 0 {
				t.Errorf("%s: fold %d leaves nothing in row or column %d", name, f, x)
			}
		}
	}
	// The folds are the same on every machine.
	p := speckle(20, 13, 4, 7, func(i, j int) bool { return (i+j)%5 != 0 })
	const want = "0f0da70bd3c8cd42"
	if got := fmt.Sprintf("%.8x", sha256.Sum256(p.label)); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	if q := speckle(20, 13, 4, 8, nil); string(q.label) == string(p.label) {
		t.Error("another seed gives the same folds")
	}
}
