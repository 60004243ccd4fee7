package matio_test

import (
	"errors"
	"slices"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// A block of a file of any type is that of the whole matrix.
func TestWithin(t *testing.T) {
	wide := matiotest.Numbered(3, input.Chunk+5)
	alone := func(m matiotest.Matrix, fortran bool) []byte {
		return matiotest.ZipFile(t, true, matiotest.NewMember("m.npy", matiotest.NpyOf(m, "<f8", fortran)))
	}
	for _, c := range []struct {
		name, path string
		m          matiotest.Matrix
	}{
		{"npy", matiotest.Write(t, "a.npy", matiotest.NpyOf(matiotest.Counts, "<f8", false)), matiotest.Counts},
		{"npy by columns", matiotest.Write(t, "a.npy", matiotest.NpyOf(matiotest.Counts, ">i4", true)), matiotest.Counts},
		{"parts", matiotest.FolderOf(t, map[string][]byte{"a.npy": matiotest.NpyOf(matiotest.Counts.Block(matiotest.Rect(0, 1, 0, 3)), "<f8", false), "b.npy": matiotest.NpyOf(matiotest.Counts.Block(matiotest.Rect(1, 2, 0, 3)), "<f4", true)}), matiotest.Counts},
		{"table", matiotest.Write(t, "a.csv", []byte("0,1,2\n3,100,5\n")), matiotest.Counts},
		{"npz", matiotest.Write(t, "a.npz", alone(matiotest.Counts, false)), matiotest.Counts},
		{"npz by columns", matiotest.Write(t, "a.npz", alone(wide, true)), wide},
		{"npz by rows", matiotest.Write(t, "a.npz", alone(wide, false)), wide},
		{"folder with a sparse matrix", matiotest.CSRFolder(t, "<i4", nil), matiotest.Counts},
		{"csr", matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, "csr", "<i4", nil)), matiotest.Counts},
		{"csc", matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, "csc", "<i4", nil)), matiotest.Counts},
		{"coo", matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, "coo", "<i4", nil)), matiotest.Counts},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, transpose := range []bool{false, true} {
				want := c.m
				if transpose {
					want = want.Transpose()
				}
				matiotest.EachBlock(want.Rows, want.Cols, func(b matio.Block) {
					f := must.Get(matio.Open(c.path, matio.Options{Transpose: transpose}))(t)
					defer f.Close()
					within(t, f, b, want.Block(b))
				})
			}
		})
	}
}

// within compares a block of an open file.
func within(t *testing.T, f *matio.File, b matio.Block, want matiotest.Matrix) {
	t.Helper()
	if f.Sparse() {
		ptr, idx, val := must.Three(matio.SparseWithin[float64](f, b))(t)
		got := make([]float64, len(want.Data))
		for i := range b.Rows() {
			if !slices.IsSorted(idx[ptr[i]:ptr[i+1]]) {
				t.Errorf("block %v: columns %d", b, idx[ptr[i]:ptr[i+1]])
			}
			for k := ptr[i]; k < ptr[i+1]; k++ {
				got[i*b.Cols()+int(idx[k])] = val[k]
			}
		}
		if !slices.Equal(got, want.Data) || slices.Contains(val, 0) || len(ptr) != b.Rows()+1 {
			t.Errorf("block %v: %v %v %v, want %v", b, ptr, idx, val, want.Data)
		}
	}
	used := f.Input().Used
	double := must.Get(matio.DenseWithin[float64](f, b))(t)
	must.EqualSlices(t, double, want.Data, "block", b)
	must.AtLeast(t, f.Input().Used, used+8*int64(len(want.Data)), "block", b, "its memory is not counted")
	single := must.Get(matio.DenseWithin[float32](f, b))(t)
	must.Equal(t, len(single), len(want.Data), "block", b)
	for i, x := range single {
		must.Equal(t, float64(x), want.Data[i], "block", b, single)
	}
}

// What is no block, needs too much memory or is closed is an error.
func TestWithinErrors(t *testing.T) {
	big := matiotest.Numbered(100, 100)
	for _, path := range []string{matiotest.Write(t, "a.npy", matiotest.NpyOf(big, "<f8", false)), matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("m.npy", matiotest.NpyOf(big, "<f8", true))))} {
		var most *matio.MemoryError
		if _, err := matio.DenseWithin[float64](matiotest.Open(t, path, matio.Options{MaxMemory: 20_000}), matiotest.Rect(0, 50, 0, 100)); !errors.As(err, &most) {
			t.Errorf("error %v", err)
		}
		f := matiotest.Open(t, path, matio.Options{})
		must.Refuse(matio.DenseWithin[float64](f, matiotest.Rect(0, 50, 0, 101)))(t, nil, "is outside the 100 x 100 matrix", "error")
		if _, _, _, err := matio.SparseWithin[float64](f, matiotest.Rect(0, 100, 0, 100)); !errors.Is(err, matio.ErrNotSparse) || f.Sparse() {
			t.Errorf("error %v", err)
		}
		f.Close()
		if _, err := matio.DenseWithin[float64](f, matiotest.Rect(0, 50, 0, 100)); err == nil {
			t.Error("a closed file is read")
		}
	}
	tiny := matiotest.New(2, 2, []float64{1, 1, 1e-60, 0})
	path := matiotest.Write(t, "a.npz", matiotest.ZipFile(t, false, matiotest.NewMember("m.npy", matiotest.NpyOf(tiny, "<f8", false))))
	must.Refuse(matio.DenseWithin[float32](matiotest.Open(t, path, matio.Options{}), matiotest.Rect(1, 2, 0, 2)))(t, matio.ErrPrecision, "row 2", "error")
	if _, err := matio.DenseWithin[float32](matiotest.Open(t, path, matio.Options{}), matiotest.Rect(1, 2, 0, 1)); err != nil {
		t.Errorf("a piece of a row: %v", err)
	}
}
