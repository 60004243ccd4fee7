package lnmu

import (
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/matio"
)

// long leaves out a test with -short: one that takes minutes where there is no
// assembly, or in an emulator.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long without assembly: not with -short")
	}
}

// faces returns the CBCL set: 361 x 2429, from the folder $NMU_DATA or, without
// it, from shared/data beside the repository.
func faces(t *testing.T) Dense[float64] {
	t.Helper()
	dir := os.Getenv("NMU_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(dir, "CBCL.mat")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no CBCL faces: %v; set NMU_DATA to the folder of CBCL.mat", err)
	}
	f, err := matio.Open(path, matio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, cols, x, err := matio.Dense[float64](f)
	if err != nil {
		t.Fatal(err)
	}
	return NewDense(rows, cols, append([]float64(nil), x...))
}

// swimmer returns the swimmer set: 220 x 256.
func swimmer[T Float]() Dense[T] {
	set := dataset.Swimmer()
	m := NewDense[T](set.Rows, set.Cols, nil)
	for i, x := range set.Data {
		m.Data[i] = T(x)
	}
	return m
}
