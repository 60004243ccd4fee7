package matio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio/internal/market"
)

// write puts content into a file of this name in a folder of its own.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, opt Options) *File {
	t.Helper()
	f, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// matrix is what a test expects, row by row.
type matrix struct {
	rows, cols int
	data       []float64
}

func (m matrix) transpose() matrix {
	t := matrix{m.cols, m.rows, make([]float64, len(m.data))}
	for i := range m.rows {
		for j := range m.cols {
			t.data[j*m.rows+i] = m.data[i*m.cols+j]
		}
	}
	return t
}

// quarters is the matrix of the tests where any will do.
var quarters = matrix{2, 3, []float64{0, 0.25, 0.5, 0.75, 1, 1.25}}

// counts holds integers.
var counts = matrix{2, 3, []float64{0, 1, 2, 3, 100, 5}}

// wantDense compares the matrix in path with m, in both precisions, stored and
// transposed.
func wantDense(t *testing.T, path, name string, m matrix) {
	t.Helper()
	for _, transpose := range []bool{false, true} {
		want := m
		if transpose {
			want = m.transpose()
		}
		f := open(t, path, Options{Var: name, Transpose: transpose})
		if r, c := f.Dims(); r != want.rows || c != want.cols {
			t.Errorf("%s: Dims() = %d, %d, want %d, %d", path, r, c, want.rows, want.cols)
		}
		r, c, data, err := Dense[float64](f)
		if err != nil {
			t.Fatal(err)
		}
		if r != want.rows || c != want.cols || !slices.Equal(data, want.data) {
			t.Errorf("%s: Dense = %d x %d %v, want %d x %d %v", path, r, c, data, want.rows, want.cols, want.data)
		}
		_, _, single, err := Dense[float32](f)
		if err != nil {
			t.Fatal(err)
		}
		if len(single) != len(want.data) {
			t.Fatalf("%s: %d elements, want %d", path, len(single), len(want.data))
		}
		for i, v := range want.data {
			if single[i] != float32(v) {
				t.Errorf("%s: element %d is %v in float32, want %v", path, i, single[i], float32(v))
			}
		}
	}
}

// wantSparse compares the sparse matrix in path with the nonzeros of m.
func wantSparse(t *testing.T, path, name string, m matrix) {
	t.Helper()
	wantDense(t, path, name, m)
	for _, transpose := range []bool{false, true} {
		want := m
		if transpose {
			want = m.transpose()
		}
		ptr, idx, val := []int{0}, []int32{}, []float64{}
		for i := range want.rows {
			for j := range want.cols {
				if v := want.data[i*want.cols+j]; v != 0 {
					idx, val = append(idx, int32(j)), append(val, v)
				}
			}
			ptr = append(ptr, len(idx))
		}
		f := open(t, path, Options{Var: name, Transpose: transpose})
		if !f.Sparse() {
			t.Fatalf("%s: not sparse", path)
		}
		for range 2 { // reading does not change what is read
			r, c, p, i, v, err := Sparse[float64](f)
			if err != nil {
				t.Fatal(err)
			}
			if r != want.rows || c != want.cols || !slices.Equal(p, ptr) || !slices.Equal(i, idx) || !slices.Equal(v, val) {
				t.Errorf("%s: Sparse = %d x %d %v %v %v, want %d x %d %v %v %v", path, r, c, p, i, v, want.rows, want.cols, ptr, idx, val)
			}
		}
		_, _, _, _, v, err := Sparse[float32](f)
		if err != nil || len(v) != len(val) {
			t.Fatalf("%s: Sparse[float32] = %v, %v", path, v, err)
		}
		for k := range v {
			if v[k] != float32(val[k]) {
				t.Errorf("%s: value %d is %v in float32, want %v", path, k, v[k], float32(val[k]))
			}
		}
	}
}

// readAll opens path and reads it in every way. It returns the first error.
func readAll(path string, opt Options) error {
	f, err := Open(path, opt)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, _, err = Dense[float64](f)
	if f.Sparse() && err == nil {
		_, _, _, _, _, err = Sparse[float64](f)
	}
	return err
}

// wantError checks that path cannot be read, that the error wraps sentinel, and
// that it names the file and what the test says.
func wantError(t *testing.T, path string, opt Options, sentinel error, text string) {
	t.Helper()
	err := readAll(path, opt)
	checkError(t, err, sentinel, text)
	if err != nil && !strings.Contains(err.Error(), filepath.Base(path)) {
		t.Errorf("error %q does not name the file", err)
	}
}

func checkError(t *testing.T, err, sentinel error, text string) {
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

// tooMany is the error for a claim of more elements than there are bytes, of
// which an int of 32 bits could not hold the number.
func tooMany() error {
	if math.MaxInt == math.MaxInt32 {
		return ErrTooLarge
	}
	return ErrFormat
}

func TestOpenByContent(t *testing.T) {
	npy := npyFile(1, "<f8", false, "(2, 3)", bytesOf(quarters.data, "<f8"))
	mtx := []byte("%%MatrixMarket matrix array real general\n2 3\n0\n.75\n.25\n1\n.5\n1.25\n")
	wantDense(t, write(t, "lies.mat", npy), "", quarters)
	wantDense(t, write(t, "lies.npz", npy), "", quarters)
	wantDense(t, write(t, "none", npy), "", quarters)
	wantDense(t, write(t, "lies.npy", zipFile(t, true, member{"X.npy", npy})), "X", quarters)
	wantDense(t, write(t, "lies.csv", matFile5(le, matDense(le, "X", quarters))), "X", quarters)
	wantDense(t, write(t, "lies.csv", mtx), "", quarters)
	wantDense(t, write(t, "a.mtx.gz", gz(t, mtx)), "", quarters)
	wantDense(t, write(t, "a.csv.gz", gz(t, []byte("0,.25,.5\n.75,1,1.25\n"))), "", quarters)
	wantDense(t, write(t, "a.tsv.gz", gz(t, []byte("0\t.25\t.5\n.75\t1\t1.25\n"))), "", quarters)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "missing.npy"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	npy := npyFile(1, "<f8", false, "(2, 3)", bytesOf(quarters.data, "<f8"))
	wantError(t, write(t, "a.dat", []byte("1 2 3\n")), Options{}, ErrUnsupported, ".npy")
	wantError(t, write(t, "a.gz", gz(t, npy)), Options{}, ErrUnsupported, ".npy")
	wantError(t, write(t, "a.csv.gz", []byte("\x1f\x8b\x08")), Options{}, ErrFormat, "too early")
	wantError(t, write(t, "a.mtx.gz", gz(t, []byte(market.Banner+" matrix coordinate real general\n3 3 1\n1 1 1\n"))[:40]), Options{}, ErrFormat, "")
	wantError(t, write(t, "a.npy", nil), Options{}, ErrFormat, "no .npy file")
	wantError(t, write(t, "a.npz", []byte("PK")), Options{}, ErrFormat, "no .npz file")
	wantError(t, write(t, "a.pgm", []byte("P5 1 1 255\n0")), Options{}, ErrUnsupported, "folder")
	wantError(t, write(t, "a.npy", npy), Options{Var: "X"}, ErrVar, `"X"`)
	wantError(t, write(t, "a.csv", []byte("1\n")), Options{Var: "X"}, ErrVar, `"X"`)
	wantError(t, write(t, "a.mtx", []byte(market.Banner)), Options{Var: "X"}, ErrVar, `"X"`)
	wantError(t, filepath.Dir(write(t, "a.pgm", []byte("P5 1 1 255\n0"))), Options{Var: "X"}, ErrVar, `"X"`)
}

func TestClosed(t *testing.T) {
	f := open(t, write(t, "a.npy", npyFile(1, "<f8", false, "(2, 3)", bytesOf(quarters.data, "<f8"))), Options{})
	for range 2 {
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, _, _, err := Dense[float64](f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Dense of a closed file: %v", err)
	}
	if _, _, _, _, _, err := Sparse[float64](f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Sparse of a closed file: %v", err)
	}
}

func TestNotSparse(t *testing.T) {
	f := open(t, write(t, "a.csv", []byte("1,2\n")), Options{})
	if _, _, _, _, _, err := Sparse[float64](f); !errors.Is(err, ErrNotSparse) || f.Sparse() {
		t.Errorf("Sparse of a dense file: %v", err)
	}
}

func gz(t *testing.T, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Neither is a device read, which may have no end, nor replaced by a file.
func TestDevice(t *testing.T) {
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Skipf("%s is no device here: %v", os.DevNull, err)
	}
	wantError(t, os.DevNull, Options{}, ErrUnsupported, "regular file")
	if err := WriteFile(os.DevNull, func(io.Writer) error { return nil }); err == nil {
		t.Error("a device was replaced")
	}
}
