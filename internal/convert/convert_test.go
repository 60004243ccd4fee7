package convert

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// input is a file, of which the transpose is taken if that is asked for.
func input(path string, transposed bool) Input {
	return Input{Path: path, Open: func(spill *matio.Spill, turned bool, _ int64) (*matio.File, error) {
		return matio.Open(path, matio.Options{Spill: spill, Transpose: transposed != turned})
	}}
}

// readNpy reads a .npy file that this package has written, literally.
func readNpy(t testing.TB, path string) (shape []int, fortran bool, descr string, data []float64) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	m := regexp.MustCompile(`^\{'descr': '(<..)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \} *\n$`).FindSubmatch(b[10:128])
	if m == nil || string(b[:10]) != "\x93NUMPY\x01\x00v\x00" {
		t.Fatalf("%s: header %q", path, b[:min(128, len(b))])
	}
	descr, fortran = string(m[1]), string(m[2]) == "True"
	for _, word := range strings.Split(strings.TrimSuffix(string(m[3]), ","), ", ") {
		n := 0
		fmt.Sscan(word, &n)
		shape = append(shape, n)
	}
	for b = b[128:]; len(b) > 0; {
		switch descr {
		case "<f8":
			data, b = append(data, math.Float64frombits(binary.LittleEndian.Uint64(b))), b[8:]
		case "<f4":
			data, b = append(data, float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), b[4:]
		case "<i8":
			data, b = append(data, float64(binary.LittleEndian.Uint64(b))), b[8:]
		case "<i4":
			data, b = append(data, float64(binary.LittleEndian.Uint32(b))), b[4:]
		}
	}
	return shape, fortran, descr, data
}

// wantNpy compares a .npy file with m.
func wantNpy(t *testing.T, path string, m matiotest.Matrix, columns bool, descr string) {
	t.Helper()
	shape, fortran, got, data := readNpy(t, path)
	if fortran != columns || got != descr || !slices.Equal(shape, []int{m.Rows, m.Cols}) {
		t.Errorf("%s: shape %d, Fortran order %t, type %s; want %d x %d, %t, %s", path, shape, fortran, got, m.Rows, m.Cols, columns, descr)
	}
	want := m.Data
	if columns {
		want = m.Transpose().Data
	}
	if !slices.EqualFunc(data, want, func(x, y float64) bool { return x == y || x != x && y != y }) {
		t.Errorf("%s: %v, want %v", path, data, want)
	}
}

// wantCSR compares a folder with m.
func wantCSR(t *testing.T, dir string, m matiotest.Matrix, descr string) {
	t.Helper()
	array := func(name, descr string) []float64 {
		shape, _, got, data := readNpy(t, filepath.Join(dir, name))
		if got != descr || !slices.Equal(shape, []int{len(data)}) {
			t.Errorf("%s: shape %d, type %s; want %d, %s", name, shape, got, len(data), descr)
		}
		return data
	}
	must.EqualSlices(t, array("shape.npy", "<i8"), []float64{float64(m.Rows), float64(m.Cols)}, "shape")
	var indices, data []float64
	indptr := []float64{0}
	for i := range m.Rows {
		for j := range m.Cols {
			if x := m.Data[i*m.Cols+j]; x != 0 {
				indices, data = append(indices, float64(j)), append(data, x)
			}
		}
		indptr = append(indptr, float64(len(data)))
	}
	if p, k, x := array("indptr.npy", "<i8"), array("indices.npy", "<i4"), array("data.npy", descr); !slices.Equal(p, indptr) || !slices.Equal(k, indices) || !slices.Equal(x, data) {
		t.Errorf("%v %v %v, want %v %v %v", p, k, x, indptr, indices, data)
	}
}

// wantFiles compares the names in a folder.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	list := must.Get(os.ReadDir(dir))(t)
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	must.EqualSlices(t, got, want, dir, "holds")
}

// tiny is so little memory that nothing fits.
const tiny = 2048

// Every format becomes each of the others, whatever the memory: stored, transposed, by
// rows and by columns.
func TestRoundTrips(t *testing.T) {
	m := random(41, 23, 1)
	inputs := t.TempDir()
	for _, f := range formats {
		path := f.put(t, inputs, m)
		for _, memory := range []int64{tiny, 256 << 20} {
			for _, transposed := range []bool{false, true} {
				if transposed && memory > tiny {
					continue // nothing that was not there
				}
				want := m
				if transposed {
					want = m.Transpose()
				}
				t.Run(fmt.Sprintf("%s, %d bytes, transposed %t", strings.TrimSuffix(f.name, "/"), memory, transposed), func(t *testing.T) {
					dir := t.TempDir()
					in := []Input{input(path, transposed)}
					for _, columns := range []bool{false, true} {
						out := filepath.Join(dir, fmt.Sprintf("%t.npy", columns))
						sum := must.Get(ToNpy(context.Background(), out, in, Settings{Columns: columns, Memory: memory}))(t)
						must.Equal(t, sum, Summary{Rows: int64(want.Rows), Cols: int64(want.Cols), Bytes: 128 + 8*41*23})
						wantNpy(t, out, want, columns, "<f8")
					}
					sparse := filepath.Join(dir, "csr")
					must.Get(ToCSR(context.Background(), sparse, in, Settings{Memory: memory, Single: true}))(t)
					wantCSR(t, sparse, want, "<f4")
					wantFiles(t, sparse, "data.npy", "indices.npy", "indptr.npy", "shape.npy")
					wantFiles(t, dir, "csr", "false.npy", "true.npy")
				})
			}
		}
	}
}

// The rows of several inputs lie one below the other.
func TestSeveralInputs(t *testing.T) {
	var all matiotest.Matrix
	var inputs []Input
	for k, f := range formats {
		m := random(1+k%5, 9, uint64(k))
		inputs = append(inputs, input(f.put(t, t.TempDir(), m), false))
		all = matiotest.New(all.Rows+m.Rows, 9, append(all.Data, m.Data...))
	}
	for _, memory := range []int64{tiny, 1 << 20} {
		dir := t.TempDir()
		for _, columns := range []bool{false, true} {
			out := filepath.Join(dir, "a.npy") // the second time it is replaced
			must.Get(ToNpy(context.Background(), out, inputs, Settings{Columns: columns, Memory: memory, Single: columns, Auto: true}))(t)
			wantNpy(t, out, all, columns, map[bool]string{true: "<f4", false: "<f8"}[columns])
		}
		out := filepath.Join(dir, "csr")
		sum, err := ToCSR(context.Background(), out, inputs, Settings{Memory: memory})
		if err != nil || sum.Rows != int64(all.Rows) {
			t.Fatal(sum, err)
		}
		wantCSR(t, out, all, "<f8")
	}
	dir := t.TempDir()
	inputs[3] = input(formats[0].put(t, dir, random(2, 8, 1)), false)
	_, err := ToNpy(context.Background(), filepath.Join(dir, "a.npy"), inputs, Settings{Memory: tiny})
	wantError(t, err, matio.ErrUnsupported, "a.csv has 8 columns, but the input before it has 9")
	wantFiles(t, dir, "a.csv")
}

// A symmetric matrix of which the lower triangle is stored is written whole.
func TestSymmetric(t *testing.T) {
	const n = 300 // several bands at the least memory
	m := matiotest.New(n, n, make([]float64, n*n))
	array := fmt.Appendf(nil, "%%%%MatrixMarket matrix array integer symmetric\n%d %d\n", n, n)
	for j := range n {
		for i := j; i < n; i++ {
			m.Data[i*n+j] = float64(1 + (i*n+j)%1000)
			m.Data[j*n+i] = m.Data[i*n+j]
			array = fmt.Appendf(array, "%v\n", m.Data[i*n+j])
		}
	}
	dir := t.TempDir()
	path := one("s.mtx", false, func(matiotest.Matrix) []byte { return array }).put(t, dir, m)
	for _, most := range []int64{0, 100_000} { // of what is read
		in := Input{Path: path, Open: func(spill *matio.Spill, turned bool, _ int64) (*matio.File, error) {
			return matio.Open(path, matio.Options{Spill: spill, Transpose: turned, MaxMemory: most})
		}}
		for _, columns := range []bool{false, true} {
			out := filepath.Join(dir, "a.npy")
			must.Get(ToNpy(context.Background(), out, []Input{in}, Settings{Columns: columns, Memory: 1 << 16}))(t)
			wantNpy(t, out, m, columns, "<f8")
		}
	}
	wantFiles(t, dir, "a.npy", "s.mtx")
	small := []byte("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n3 1\n3 2\n")
	path = one("p.mtx", true, func(matiotest.Matrix) []byte { return small }).put(t, dir, m)
	must.Get(ToCSR(context.Background(), filepath.Join(dir, "csr"), []Input{input(path, false)}, Settings{Memory: tiny}))(t)
	wantCSR(t, filepath.Join(dir, "csr"), matiotest.New(3, 3, []float64{1, 0, 1, 0, 0, 1, 1, 1, 0}), "<f8")
}

// What a table does not say is recognised as by factor, whether its numbers are in memory
// or not.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		text    string
		missing matio.Missing
	}{
		{"id,a,b\n1,2,3\n2,4,5.5\n3,6,7\n", ""}, // labels
		{"a,b,c\n0,2.5,3\n1,4,5\n2,6,7\n", ""},  // a column that counts
		{"0;1;2\n1,5;2;3\n2;4;5\n", ""},         // a row that counts, commas
		{"a,b\n1,NA\n,4\n5,7\n", matio.Mean},
		{"a,b\n1,NA\n2,4\n5,7\n", matio.DropRows},
		{"a,b\n1,NA\n2,4\n5,7\n", matio.DropCols},
		{"a,b\n1,NA\n2,4\n5,7\n", matio.Zero},
		{"a,b\n1,NA\n2,4\n5,7\n", matio.Allow},
		{"wave,a\n400,1\n401.5,2\n403,3\n404,4\n405,5\n406,6\n407,7\n408,9\n410,2\n", ""}, // an axis
	} {
		dir := t.TempDir()
		path := one("a.csv", false, func(matiotest.Matrix) []byte { return []byte(c.text) }).put(t, dir, matiotest.Matrix{})
		opt := matio.Options{Table: matio.Table{Missing: c.missing}}
		f := matiotest.Open(t, path, opt)
		rows, cols, data := must.Three(matio.Dense[float64](f))(t)
		var notes []string
		in := Input{Path: path, Open: func(spill *matio.Spill, turned bool, _ int64) (*matio.File, error) {
			opt := opt
			opt.Spill, opt.Transpose = spill, turned
			g, err := matio.Open(path, opt)
			if err == nil {
				notes = g.Notes()
			}
			return g, err
		}}
		out := filepath.Join(dir, "a.npy")
		must.Get(ToNpy(context.Background(), out, []Input{in}, Settings{Memory: tiny, Missing: c.missing == matio.Allow}))(t)
		wantNpy(t, out, matiotest.New(rows, cols, data), false, "<f8")
		must.EqualSlices(t, notes, f.Notes(), "notes")
	}
}

// random is a matrix of multiples of 1/4 that float32 holds, some of them negative, and
// many zeros.
func random(rows, cols int, seed uint64) matiotest.Matrix {
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := matiotest.New(rows, cols, make([]float64, rows*cols))
	for k := range m.Data {
		if rnd.IntN(3) == 0 {
			m.Data[k] = float64(rnd.IntN(2000)-500) / 4
		}
	}
	return m
}

// The formats, written by these lines and by matiotest, not by those that are tested.

func csvOf(m matiotest.Matrix, header bool) []byte {
	var b bytes.Buffer
	if header {
		for j := range m.Cols {
			fmt.Fprintf(&b, ",c%d", j)
		}
		b.WriteByte('\n')
	}
	for i := range m.Rows {
		if header {
			fmt.Fprintf(&b, "r%d,", i)
		}
		for j := range m.Cols {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprint(&b, m.Data[i*m.Cols+j])
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// triples are the nonzeros of m, some of them in two parts, in a random order.
func triples(m matiotest.Matrix) (row, col, val []float64) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, k := range rnd.Perm(len(m.Data)) {
		x := m.Data[k]
		if x == 0 && rnd.IntN(10) > 0 {
			continue
		}
		for split := rnd.IntN(3); split >= 0; split-- {
			part := x
			if split > 0 {
				part = x - float64(rnd.IntN(9))
			}
			row, col, val = append(row, float64(k/m.Cols)), append(col, float64(k%m.Cols)), append(val, part)
			x -= part
		}
	}
	return row, col, val
}

func coordinate(m matiotest.Matrix) []byte {
	row, col, val := triples(m)
	b := fmt.Appendf(nil, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m.Rows, m.Cols, len(val))
	for k := range val {
		b = fmt.Appendf(b, "%v %v %v\n", row[k]+1, col[k]+1, val[k])
	}
	return b
}

func mtxArray(m matiotest.Matrix) []byte {
	b := fmt.Appendf(nil, "%%%%MatrixMarket matrix array real general\n%d %d\n", m.Rows, m.Cols)
	for _, x := range m.Transpose().Data {
		b = fmt.Appendf(b, "%v\n", x)
	}
	return b
}

// csr returns the arrays of m, the columns of each row out of order.
func csr(m matiotest.Matrix) (indptr, indices, data []float64) {
	indptr = []float64{0}
	for i := range m.Rows {
		for j := m.Cols - 1; j >= 0; j-- {
			if x := m.Data[i*m.Cols+j]; x != 0 {
				indices, data = append(indices, float64(j)), append(data, x)
			}
		}
		indptr = append(indptr, float64(len(data)))
	}
	return indptr, indices, data
}

func zipped(files map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			panic(err)
		}
		w.Write(files[name])
	}
	z.Close()
	return b.Bytes()
}

func scipy(format string, m matiotest.Matrix) []byte {
	files := map[string][]byte{"format.npy": matiotest.NpyFile(1, "|S3", false, "()", []byte(format)), "shape.npy": matiotest.Vector("<i8", []float64{float64(m.Rows), float64(m.Cols)}...)}
	if format == "coo" {
		row, col, val := triples(m)
		files["row.npy"], files["col.npy"], files["data.npy"] = matiotest.Vector("<i4", row...), matiotest.Vector("<i4", col...), matiotest.Vector("<f8", val...)
		return zipped(files)
	}
	if format == "csc" {
		m = m.Transpose()
	}
	indptr, indices, data := csr(m)
	files["indptr.npy"], files["indices.npy"], files["data.npy"] = matiotest.Vector("<i4", indptr...), matiotest.Vector("<i8", indices...), matiotest.Vector("<f8", data...)
	return zipped(files)
}

// format is one in which a matrix is given; a name with a slash is a file of a folder.
type format struct {
	name   string
	sparse bool
	files  func(m matiotest.Matrix) map[string][]byte
}

func one(name string, sparse bool, content func(m matiotest.Matrix) []byte) format {
	return format{name, sparse, func(m matiotest.Matrix) map[string][]byte { return map[string][]byte{name: content(m)} }}
}

var formats = []format{
	one("a.csv", false, func(m matiotest.Matrix) []byte { return csvOf(m, false) }),
	one("named.csv", false, func(m matiotest.Matrix) []byte { return csvOf(m, true) }),
	one("a.csv.gz", false, func(m matiotest.Matrix) []byte { return matiotest.Gz(csvOf(m, false)) }),
	one("a.tsv", false, func(m matiotest.Matrix) []byte { return bytes.ReplaceAll(csvOf(m, false), []byte(","), []byte("\t")) }),
	one("a.txt", false, func(m matiotest.Matrix) []byte { return bytes.ReplaceAll(csvOf(m, false), []byte(","), []byte("  ")) }),
	one("a.npy", false, func(m matiotest.Matrix) []byte { return matiotest.NpyOf(m, "<f8", false) }),
	one("f.npy", false, func(m matiotest.Matrix) []byte { return matiotest.NpyOf(m, ">f8", true) }),
	one("single.npy", false, func(m matiotest.Matrix) []byte { return matiotest.NpyOf(m, "<f4", true) }),
	one("a.npz", false, func(m matiotest.Matrix) []byte {
		return zipped(map[string][]byte{"M.npy": matiotest.NpyOf(m, "<f4", false)})
	}),
	one("f.npz", false, func(m matiotest.Matrix) []byte {
		return zipped(map[string][]byte{"M.npy": matiotest.NpyOf(m, "<f8", true)})
	}),
	one("array.mtx", false, mtxArray),
	one("a.mtx", true, coordinate),
	one("a.mtx.gz", true, func(m matiotest.Matrix) []byte { return matiotest.Gz(coordinate(m)) }),
	one("csr.npz", true, func(m matiotest.Matrix) []byte { return scipy("csr", m) }),
	one("csc.npz", true, func(m matiotest.Matrix) []byte { return scipy("csc", m) }),
	one("coo.npz", true, func(m matiotest.Matrix) []byte { return scipy("coo", m) }),
	{"parts/", false, func(m matiotest.Matrix) map[string][]byte {
		h := m.Rows / 2
		return map[string][]byte{"parts/1.npy": matiotest.NpyOf(matiotest.New(h, m.Cols, m.Data[:h*m.Cols]), "<f8", true),
			"parts/2.npy": matiotest.NpyOf(matiotest.New(m.Rows-h, m.Cols, m.Data[h*m.Cols:]), "<f4", false)}
	}},
	{"csr/", true, func(m matiotest.Matrix) map[string][]byte {
		indptr, indices, data := csr(m)
		return map[string][]byte{"csr/shape.npy": matiotest.Vector("<i8", []float64{float64(m.Rows), float64(m.Cols)}...), "csr/indptr.npy": matiotest.Vector("<i8", indptr...),
			"csr/indices.npy": matiotest.Vector("<i4", indices...), "csr/data.npy": matiotest.Vector("<f4", data...)}
	}},
}

// put writes the matrix to a folder in this format and returns the path.
func (f format) put(t testing.TB, dir string, m matiotest.Matrix) string {
	t.Helper()
	for name, content := range f.files(m) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, content, 0o666))
	}
	return filepath.Join(dir, f.name)
}
