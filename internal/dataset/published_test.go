package dataset

import (
	"testing"

	"nmu/internal/matio"
	"nmu/internal/must"
)

// The generated swimmer is the published matrix, entry by entry.
func TestSwimmerEqualsPublishedSet(t *testing.T) {
	f := must.Get(matio.Open(must.PaperFile(t, "Swimmer.mat"), matio.Options{}))(t)
	defer f.Close()
	rows, cols, data := must.Three(matio.Dense[float64](f))(t)
	s := Swimmer()
	if rows != s.Rows || cols != s.Cols {
		t.Fatalf("published matrix is %d x %d, generated %d x %d", rows, cols, s.Rows, s.Cols)
	}
	for i, x := range data {
		if s.Data[i] != x {
			t.Fatalf("entry [%d,%d] is %v, published %v", i/cols, i%cols, s.Data[i], x)
		}
	}
}
