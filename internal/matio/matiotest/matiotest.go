// Package matiotest makes valid and invalid files of every format that matio reads, and checks
// what matio reads from them. It is for tests only.
package matiotest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
)

// Write writes content to a file with this name in a new temporary folder, and returns its
// path.
func Write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteNpy writes a matrix to a .npy file.
func WriteNpy[T matio.Float](path string, rows, cols int, data []T, stride int) error {
	return matio.WriteFile(path, func(w io.Writer) error { return matio.EncodeNpy(w, rows, cols, data, stride) })
}

// WriteCSV writes a table.
func WriteCSV[T matio.Float](path string, m matio.Labelled[T]) error {
	return matio.WriteFile(path, func(w io.Writer) error { return matio.EncodeCSV(w, m) })
}

// WriteMat writes matrices to a MATLAB file.
func WriteMat[T matio.Float](path string, variables ...matio.Variable[T]) error {
	return matio.WriteFile(path, func(w io.Writer) error { return matio.EncodeMat(w, variables...) })
}

// WriteENVI writes the raster of an ENVI cube.
func WriteENVI[T matio.Float](path string, m matio.Labelled[T], height, width int) error {
	return matio.WriteFile(path, func(w io.Writer) error { return matio.EncodeENVI(w, m, height, width) })
}

// Open opens a file, and closes it when the test ends.
func Open(t testing.TB, path string, opt matio.Options) *matio.File {
	t.Helper()
	f, err := matio.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Matrix is the matrix that a test expects, row by row.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// Transpose returns the transpose of m.
func (m Matrix) Transpose() Matrix {
	t := New(m.Cols, m.Rows, make([]float64, len(m.Data)))
	for i := range m.Rows {
		for j := range m.Cols {
			t.Data[j*m.Rows+i] = m.Data[i*m.Cols+j]
		}
	}
	return t
}

// Quarters is the default matrix of the tests. It is exact in float32.
var Quarters = New(2, 3, []float64{0, 0.25, 0.5, 0.75, 1, 1.25})

// Counts is a matrix of integers.
var Counts = New(2, 3, []float64{0, 1, 2, 3, 100, 5})

// bothWays opens the matrix m in path as it is stored and transposed.
func bothWays(t *testing.T, path, name string, m Matrix, do func(f *matio.File, want Matrix)) {
	t.Helper()
	do(Open(t, path, matio.Options{Var: name}), m)
	do(Open(t, path, matio.Options{Var: name, Transpose: true}), m.Transpose())
}

// inSingle compares numbers that were read as float32.
func inSingle(t *testing.T, path string, got []float32, err error, want []float64) {
	t.Helper()
	if err != nil || !slices.EqualFunc(got, want, func(x float32, y float64) bool { return x == float32(y) }) {
		t.Errorf("%s: in float32 %v, %v, want %v", path, got, err, want)
	}
}

// WantDense compares the matrix in path with m, in both precisions, stored and
// transposed.
func WantDense(t *testing.T, path, name string, m Matrix) {
	t.Helper()
	bothWays(t, path, name, m, func(f *matio.File, want Matrix) {
		t.Helper()
		if r, c := f.Dims(); r != want.Rows || c != want.Cols {
			t.Errorf("%s: Dims() = %d, %d, want %d, %d", path, r, c, want.Rows, want.Cols)
		}
		r, c, data, err := matio.Dense[float64](f)
		if err != nil {
			t.Fatal(err)
		}
		if r != want.Rows || c != want.Cols || !slices.Equal(data, want.Data) {
			t.Errorf("%s: Dense = %d x %d %v, want %d x %d %v", path, r, c, data, want.Rows, want.Cols, want.Data)
		}
		_, _, single, err := matio.Dense[float32](f)
		inSingle(t, path, single, err, want.Data)
	})
}

// WantSparse compares the sparse matrix in path with m, zeros left out.
func WantSparse(t *testing.T, path, name string, m Matrix) {
	t.Helper()
	WantDense(t, path, name, m)
	bothWays(t, path, name, m, func(f *matio.File, want Matrix) {
		t.Helper()
		ptr, idx, val := []int{0}, []int32{}, []float64{}
		for i := range want.Rows {
			for j := range want.Cols {
				if v := want.Data[i*want.Cols+j]; v != 0 {
					idx, val = append(idx, int32(j)), append(val, v)
				}
			}
			ptr = append(ptr, len(idx))
		}
		if !f.Sparse() {
			t.Fatalf("%s: not sparse", path)
		}
		for range 2 { // reading does not change what is read
			r, c, p, i, v, err := matio.Sparse[float64](f)
			if err != nil {
				t.Fatal(err)
			}
			if r != want.Rows || c != want.Cols || !slices.Equal(p, ptr) || !slices.Equal(i, idx) || !slices.Equal(v, val) {
				t.Errorf("%s: Sparse = %d x %d %v %v %v, want %d x %d %v %v %v", path, r, c, p, i, v, want.Rows, want.Cols, ptr, idx, val)
			}
		}
		_, _, _, _, single, err := matio.Sparse[float32](f)
		inSingle(t, path, single, err, val)
	})
}

// ReadAll opens path and reads it in every way. It returns the first error.
func ReadAll(path string, opt matio.Options) error {
	f, err := matio.Open(path, opt)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, _, err = matio.Dense[float64](f)
	if f.Sparse() && err == nil {
		_, _, _, _, _, err = matio.Sparse[float64](f)
	}
	return err
}

// WantError checks that reading path fails, and that the error wraps sentinel and contains the
// path and text.
func WantError(t *testing.T, path string, opt matio.Options, sentinel error, text string) {
	t.Helper()
	err := ReadAll(path, opt)
	CheckError(t, err, sentinel, text)
	if err != nil && !strings.Contains(err.Error(), filepath.Base(path)) {
		t.Errorf("error %q does not name the file", err)
	}
}

// CheckError reports an error that does not wrap sentinel or lacks text.
func CheckError(t *testing.T, err, sentinel error, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %v: %s", sentinel, text)
	case !errors.Is(err, sentinel):
		t.Errorf("error %q, want %q", err, sentinel)
	case !strings.Contains(err.Error(), text):
		t.Errorf("error %q does not contain %q", err, text)
	}
}

// TooMany returns the sentinel error for a claim of too many elements, which a 32-bit int may
// not hold.
func TooMany() error {
	if math.MaxInt == math.MaxInt32 {
		return matio.ErrTooLarge
	}
	return matio.ErrFormat
}

// Gz returns b compressed by gzip.
func Gz(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b) // to memory: it cannot fail
	z.Close()
	return out.Bytes()
}

// Countdown returns a context that is cancelled when it has been asked left times.
func Countdown(left int) context.Context { return &countdown{context.Background(), left} }

type countdown struct {
	context.Context
	left int
}

// Err implements context.Context.
func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// written returns what write writes.
func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// New returns a matrix.
func New(rows, cols int, data []float64) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: data}
}
