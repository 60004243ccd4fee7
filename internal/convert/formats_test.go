package convert

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

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

func gz(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
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
	one("a.csv.gz", false, func(m matiotest.Matrix) []byte { return gz(csvOf(m, false)) }),
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
	one("a.mtx.gz", true, func(m matiotest.Matrix) []byte { return gz(coordinate(m)) }),
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
