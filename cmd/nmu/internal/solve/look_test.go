package solve

import (
	"fmt"
	"path/filepath"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// TestLook: the page looks at a matrix in its file as at the one in memory.
func TestLook(t *testing.T) {
	const rows, cols = 300, 40
	m := lnmu.NewDense[float64](rows, cols, nil)
	mask := lnmu.NewMask(rows, cols)
	for i := range rows {
		for j := range cols {
			if (i+j)%3 > 0 {
				m.Row(i)[j] = float64(1 + (i*j)%11)
			}
			mask.Set(i, j, (i*i+j)%5 > 0)
		}
	}
	res := &lnmu.Result[float64]{V: lnmu.NewDense[float64](rows, 2, nil), W: lnmu.NewDense[float64](2, cols, nil)}
	for i := range res.V.Data {
		res.V.Data[i] = float64(i%7) / 5
	}
	for j := range res.W.Data {
		res.W.Data[j] = float64(1 + j%4)
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	if err := matio.WriteNpy(path, rows, cols, m.Data, cols); err != nil {
		t.Fatal(err)
	}
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := matio.OpenLines[float64](file)
	if err != nil {
		t.Fatal(err)
	}
	for _, seen := range []*lnmu.Mask{nil, mask} {
		got, err := look(storedLines[float64]{lines, matio.Block{I1: rows, J1: cols}}, Plan{Mask: seen}, res, 11)
		if want := page.Look(m, seen, res.V, res.W, 11); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("masked %v: another distance, error %v", seen != nil, err)
		}
	}
}
