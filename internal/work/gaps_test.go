package work

import (
	"math"
	"path/filepath"
	"testing"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestGapsOfPart: the gaps of the part of a process are those of its rows, or its columns, and
// come to those of a mask.
func TestGapsOfPart(t *testing.T) {
	const rows, cols, first, last = 9, 5, 3, 7
	m := lnmu.NewDense[float64](rows, cols, nil)
	for i := range m.Data {
		if m.Data[i] = float64(i); i%4 == 1 {
			m.Data[i] = math.NaN()
		}
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	must.Do(t, matiotest.WriteNpy(path, rows, cols, m.Data, cols))
	for _, transposed := range []bool{false, true} {
		file := must.Get(matio.Open(path, matio.Options{Transpose: transposed}))(t)
		defer file.Close()
		lines := must.Get(matio.OpenLines[float64](file))(t)
		part := matio.Block{I0: first, I1: last, J1: cols}
		if transposed {
			part = part.Transposed()
		}
		given := lnmu.NewMask(part.Rows(), part.Cols())
		given.Set(1, 1, false)
		for _, seen := range []*lnmu.Mask{nil, given} {
			without := seen != nil
			got := must.Get((&denseFile[float64]{file: file, m: lines.Block(part)}).gaps(Plan{Selection: data.Selection{Observed: data.Observed{Mask: seen}}}))(t)
			for i := range part.Rows() {
				for j := range part.Cols() {
					row, col := part.I0+i, part.J0+j
					if transposed {
						row, col = col, row
					}
					want := !math.IsNaN(m.At(row, col)) && !(without && i == 1 && j == 1)
					if got.Observed(i, j) != want {
						t.Errorf("transposed %v: entry (%d, %d) of the part is observed: %v", transposed, i, j, !want)
					}
				}
			}
		}
	}
}
