package matio

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio/internal/input"
)

// A block of a file of any type is that of the whole matrix.
func TestWithin(t *testing.T) {
	wide := numbered(3, input.Chunk+5)
	alone := func(m matrix, fortran bool) []byte {
		return zipFile(t, true, member{"m.npy", npyOf(m, "<f8", fortran)})
	}
	for _, c := range []struct {
		name, path string
		m          matrix
	}{
		{"npy", write(t, "a.npy", npyOf(counts, "<f8", false)), counts},
		{"npy by columns", write(t, "a.npy", npyOf(counts, ">i4", true)), counts},
		{"parts", folderOf(t, map[string][]byte{"a.npy": npyOf(counts.block(rect(0, 1, 0, 3)), "<f8", false), "b.npy": npyOf(counts.block(rect(1, 2, 0, 3)), "<f4", true)}), counts},
		{"table", write(t, "a.csv", []byte("0,1,2\n3,100,5\n")), counts},
		{"npz", write(t, "a.npz", alone(counts, false)), counts},
		{"npz by columns", write(t, "a.npz", alone(wide, true)), wide},
		{"npz by rows", write(t, "a.npz", alone(wide, false)), wide},
		{"folder with a sparse matrix", csrFolder(t, "<i4", nil), counts},
		{"csr", write(t, "a.npz", scipySparse(t, "csr", "<i4", nil)), counts},
		{"csc", write(t, "a.npz", scipySparse(t, "csc", "<i4", nil)), counts},
		{"coo", write(t, "a.npz", scipySparse(t, "coo", "<i4", nil)), counts},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, transpose := range []bool{false, true} {
				want := c.m
				if transpose {
					want = want.transpose()
				}
				eachBlock(want.rows, want.cols, func(b Block) {
					f, err := Open(c.path, Options{Transpose: transpose})
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					within(t, f, b, want.block(b))
				})
			}
		})
	}
}

// within compares a block of an open file.
func within(t *testing.T, f *File, b Block, want matrix) {
	t.Helper()
	if f.Sparse() {
		ptr, idx, val, err := SparseWithin[float64](f, b)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(want.data))
		for i := range b.Rows() {
			if !slices.IsSorted(idx[ptr[i]:ptr[i+1]]) {
				t.Errorf("block %v: columns %d", b, idx[ptr[i]:ptr[i+1]])
			}
			for k := ptr[i]; k < ptr[i+1]; k++ {
				got[i*b.Cols()+int(idx[k])] = val[k]
			}
		}
		if !slices.Equal(got, want.data) || slices.Contains(val, 0) || len(ptr) != b.Rows()+1 {
			t.Errorf("block %v: %v %v %v, want %v", b, ptr, idx, val, want.data)
		}
	}
	used := f.in.Used
	double, err := DenseWithin[float64](f, b)
	if err != nil || !slices.Equal(double, want.data) {
		t.Errorf("block %v: %v, want %v, %v", b, double, want.data, err)
	}
	if f.in.Used < used+8*int64(len(want.data)) {
		t.Errorf("block %v: its memory is not counted", b)
	}
	single, err := DenseWithin[float32](f, b)
	if err != nil || len(single) != len(want.data) {
		t.Errorf("block %v: %v, %v", b, single, err)
	}
	for i, x := range single {
		if float64(x) != want.data[i] {
			t.Errorf("block %v: %v, want %v", b, single, want.data)
		}
	}
}

// What is no block, needs too much memory or is closed is an error.
func TestWithinErrors(t *testing.T) {
	open := func(path string, opt Options) *File {
		f, err := Open(path, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	big := numbered(100, 100)
	for _, path := range []string{write(t, "a.npy", npyOf(big, "<f8", false)), write(t, "a.npz", zipFile(t, true, member{"m.npy", npyOf(big, "<f8", true)}))} {
		var most *MemoryError
		if _, err := DenseWithin[float64](open(path, Options{MaxMemory: 20_000}), rect(0, 50, 0, 100)); !errors.As(err, &most) {
			t.Errorf("error %v", err)
		}
		f := open(path, Options{})
		if _, err := DenseWithin[float64](f, rect(0, 50, 0, 101)); err == nil || !strings.Contains(err.Error(), "of a matrix of 100 x 100") {
			t.Errorf("error %v", err)
		}
		if _, _, _, err := SparseWithin[float64](f, rect(0, 50, 0, 100)); !errors.Is(err, ErrNotSparse) {
			t.Errorf("error %v", err)
		}
		f.Close()
		if _, err := DenseWithin[float64](f, rect(0, 50, 0, 100)); err == nil {
			t.Error("a closed file is read")
		}
	}
	tiny := matrix{2, 2, []float64{1, 1, 1e-60, 0}}
	path := write(t, "a.npz", zipFile(t, false, member{"m.npy", npyOf(tiny, "<f8", false)}))
	if _, err := DenseWithin[float32](open(path, Options{}), rect(1, 2, 0, 2)); !errors.Is(err, ErrPrecision) || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("error %v", err)
	}
	if _, err := DenseWithin[float32](open(path, Options{}), rect(1, 2, 0, 1)); err != nil {
		t.Errorf("a piece of a row: %v", err)
	}
}
