package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/must"
)

// The generated swimmer is the published matrix, entry by entry.
func TestSwimmerEqualsPublishedSet(t *testing.T) {
	dir := os.Getenv("NMU_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, "Swimmer.mat")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there; set NMU_DATA to the folder with the paper's data sets", path)
	}
	f := must.Get(matio.Open(path, matio.Options{}))(t)
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
