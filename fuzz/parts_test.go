package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/must"
)

// writeParts writes a folder of .npy files that follow one another in content: the arrays
// of a sparse matrix if it begins with a c, else parts of a dense one.
func writeParts(t *testing.T, path string, content []byte) {
	must.Do(t, os.RemoveAll(path))
	must.Do(t, os.MkdirAll(path, 0o777))
	const magic = "\x93NUMPY"
	for k, part := range bytes.Split(content, []byte(magic)) {
		if k == 0 {
			continue // what is before the first
		}
		name := fmt.Sprintf("%d.npy", k)
		if names := matio.CSRNames(); content[0] == 'c' && k <= len(names) {
			name = names[k-1]
		}
		must.Do(t, os.WriteFile(filepath.Join(path, name), append([]byte(magic), part...), 0o666))
	}
}

// same says whether two numbers are, or are none both.
func same(x, y float64) bool { return x == y || x != x && y != y }

// checkParts reads the rows of a matrix and its columns by themselves.
func checkParts(t *testing.T, path string, m, n int, data []float64) {
	for _, transpose := range []bool{false, true} {
		p, err := matio.OpenParts(path, matio.Options{Transpose: transpose})
		must.Do(t, err, "OpenParts")
		rows, cols := p.Dims()
		got := make([]float64, len(data))
		third := rows/3 + 1
		for i := 0; i < rows && err == nil && len(data) > 0; i += third {
			b := matio.Block{I0: i, I1: min(i+third, rows), J1: cols}
			if !p.Sparse() {
				err = matio.ReadBlock(p, got[i*cols:b.I1*cols], cols, b)
				continue
			}
			var ptr []int
			var idx []int32
			var val []float64
			ptr, idx, val, err = matio.SparseBlock[float64](p, b)
			for r := 0; err == nil && r < b.I1-i; r++ {
				for k := ptr[r]; k < ptr[r+1]; k++ {
					got[(i+r)*cols+int(idx[k])] = val[k]
				}
			}
		}
		p.Close()
		if err != nil {
			t.Fatalf("transposed %t: %v, in a matrix that Dense reads", transpose, err)
		}
		for k, v := range got {
			i, j := k/cols, k%cols
			if transpose {
				i, j = j, i
			}
			if !same(v, data[i*n+j]) {
				t.Fatalf("element %d, %d is %v, in a block %v", i, j, data[i*n+j], v)
			}
		}
	}
}

// checkStreamed reads a matrix of n columns without holding it, and compares it with
// data, or what is wrong with the file with the error of Open.
func checkStreamed(t *testing.T, path string, n int, data []float64, bad error) {
	f, err := matio.Open(path, matio.Options{Spill: &matio.Spill{Context: context.Background()}})
	var got []float64
	if err == nil {
		defer f.Close()
		rows, cols := f.Dims()
		switch {
		case bad != nil && f.Sparse(): // its entries are not read yet
			err = matio.Entries(f, func(int32, int32, float64) error { return nil })
		case bad != nil:
		case f.Sparse():
			got = make([]float64, rows*cols)
			err = matio.Entries(f, func(i, j int32, v float64) error {
				got[int(i)*cols+int(j)] += v
				return nil
			})
		default:
			got, err = elements(f, rows, cols)
		}
	}
	if bad != nil {
		if err == nil && !errors.Is(bad, matio.ErrTooLarge) {
			t.Fatalf("Open: %v, but it is read piece by piece", bad)
		}
		return
	}
	must.Do(t, err, "Dense reads it, but piece by piece")
	if !slices.EqualFunc(got, data, func(x, y float64) bool { return same(x, y) || math.IsInf(y, 0) }) {
		t.Fatalf("%v read piece by piece, %v at once, %d columns", got, data, n)
	}
}

// elements reads a dense matrix some elements at a time.
func elements(f *matio.File, rows, cols int) ([]float64, error) {
	r, err := f.Elements()
	if err != nil {
		return nil, err
	}
	got := make([]float64, rows*cols)
	for k := 0; k < len(got); k += 7 {
		if err := r.Next(got[k:min(k+7, len(got))]); err != nil {
			return nil, err
		}
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	if !f.ByColumn() {
		return got, nil
	}
	turned := make([]float64, len(got))
	for k, v := range got {
		turned[k%rows*cols+k/rows] = v
	}
	return turned, nil
}
