package lnmu_test

import (
	"errors"
	"strings"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestImproveStored checks that Improve refuses a sparse matrix in files. The passes over its stored
// entries would make zeros of V and W positive again.
func TestImproveStored(t *testing.T) {
	m := lnmu.NewCSR(lnmutest.Data[float64](30, 20, 12))
	v, w := lnmu.NewDense[float64](30, 2, nil), lnmu.NewDense[float64](2, 20, nil)
	for i := range v.Rows {
		v.Row(i)[i%2] = 1
	}
	for j := range w.Cols {
		w.Row(j % 2)[j] = 1
	}
	res, err := lnmu.Improve(t.Context(), &lnmutest.RowsOfCSR[float64]{CSR: m}, v, w, lnmu.NMF{}, nil)
	if res != nil || !errors.Is(err, lnmu.ErrOption) || !strings.Contains(err.Error(), "keep M in memory") {
		t.Errorf("result %v, error %v", res, err)
	}
}
