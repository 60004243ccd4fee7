package convert

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nmu/internal/must"
)

// matrix is what a test expects, row by row.
type matrix struct {
	rows, cols int
	data       []float64
}

func (m matrix) at(i, j int) float64 { return m.data[i*m.cols+j] }

func (m matrix) transpose() matrix {
	t := matrix{m.cols, m.rows, make([]float64, len(m.data))}
	for i := range m.rows {
		for j := range m.cols {
			t.data[j*m.rows+i] = m.at(i, j)
		}
	}
	return t
}

// random is a matrix of multiples of 1/4 that float32 holds, some of them negative, and
// many zeros.
func random(rows, cols int, seed uint64) matrix {
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := matrix{rows, cols, make([]float64, rows*cols)}
	for k := range m.data {
		if rnd.IntN(3) == 0 {
			m.data[k] = float64(rnd.IntN(2000)-500) / 4
		}
	}
	return m
}

// The formats, written by these lines and not by those that are tested.

func npyBytes(descr string, fortran bool, shape string, v ...float64) []byte {
	order := map[bool]string{true: "True", false: "False"}[fortran]
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), 0)
	b = append(b, dict...)
	for _, x := range v {
		switch descr {
		case "<f8":
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		case ">f8":
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
		case "<f4":
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		case "<i8":
			b = binary.LittleEndian.AppendUint64(b, uint64(int64(x)))
		case "<i4":
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(x)))
		}
	}
	return b
}

func npyOf(m matrix, descr string, fortran bool) []byte {
	data := m.data
	if fortran {
		data = m.transpose().data
	}
	return npyBytes(descr, fortran, fmt.Sprintf("(%d, %d)", m.rows, m.cols), data...)
}

func vector(descr string, v []float64) []byte {
	return npyBytes(descr, false, fmt.Sprintf("(%d,)", len(v)), v...)
}

func csvOf(m matrix, header bool) []byte {
	var b bytes.Buffer
	if header {
		for j := range m.cols {
			fmt.Fprintf(&b, ",c%d", j)
		}
		b.WriteByte('\n')
	}
	for i := range m.rows {
		if header {
			fmt.Fprintf(&b, "r%d,", i)
		}
		for j := range m.cols {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprint(&b, m.at(i, j))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// triples are the nonzeros of m, some of them in two parts, in a random order.
func triples(m matrix) (row, col, val []float64) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, k := range rnd.Perm(len(m.data)) {
		x := m.data[k]
		if x == 0 && rnd.IntN(10) > 0 {
			continue
		}
		for split := rnd.IntN(3); split >= 0; split-- {
			part := x
			if split > 0 {
				part = x - float64(rnd.IntN(9))
			}
			row, col, val = append(row, float64(k/m.cols)), append(col, float64(k%m.cols)), append(val, part)
			x -= part
		}
	}
	return row, col, val
}

func coordinate(m matrix) []byte {
	row, col, val := triples(m)
	b := fmt.Appendf(nil, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m.rows, m.cols, len(val))
	for k := range val {
		b = fmt.Appendf(b, "%v %v %v\n", row[k]+1, col[k]+1, val[k])
	}
	return b
}

func mtxArray(m matrix) []byte {
	b := fmt.Appendf(nil, "%%%%MatrixMarket matrix array real general\n%d %d\n", m.rows, m.cols)
	for _, x := range m.transpose().data {
		b = fmt.Appendf(b, "%v\n", x)
	}
	return b
}

// csr returns the arrays of m, the columns of each row out of order.
func csr(m matrix) (indptr, indices, data []float64) {
	indptr = []float64{0}
	for i := range m.rows {
		for j := m.cols - 1; j >= 0; j-- {
			if x := m.at(i, j); x != 0 {
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

func scipy(format string, m matrix) []byte {
	files := map[string][]byte{"format.npy": npyBytes("|S3", false, "()"), "shape.npy": vector("<i8", []float64{float64(m.rows), float64(m.cols)})}
	files["format.npy"] = append(files["format.npy"], format...)
	if format == "coo" {
		row, col, val := triples(m)
		files["row.npy"], files["col.npy"], files["data.npy"] = vector("<i4", row), vector("<i4", col), vector("<f8", val)
		return zipped(files)
	}
	if format == "csc" {
		m = m.transpose()
	}
	indptr, indices, data := csr(m)
	files["indptr.npy"], files["indices.npy"], files["data.npy"] = vector("<i4", indptr), vector("<i8", indices), vector("<f8", data)
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
	files  func(m matrix) map[string][]byte
}

func one(name string, sparse bool, content func(m matrix) []byte) format {
	return format{name, sparse, func(m matrix) map[string][]byte { return map[string][]byte{name: content(m)} }}
}

var formats = []format{
	one("a.csv", false, func(m matrix) []byte { return csvOf(m, false) }),
	one("named.csv", false, func(m matrix) []byte { return csvOf(m, true) }),
	one("a.csv.gz", false, func(m matrix) []byte { return gz(csvOf(m, false)) }),
	one("a.tsv", false, func(m matrix) []byte { return bytes.ReplaceAll(csvOf(m, false), []byte(","), []byte("\t")) }),
	one("a.txt", false, func(m matrix) []byte { return bytes.ReplaceAll(csvOf(m, false), []byte(","), []byte("  ")) }),
	one("a.npy", false, func(m matrix) []byte { return npyOf(m, "<f8", false) }),
	one("f.npy", false, func(m matrix) []byte { return npyOf(m, ">f8", true) }),
	one("single.npy", false, func(m matrix) []byte { return npyOf(m, "<f4", true) }),
	one("a.npz", false, func(m matrix) []byte { return zipped(map[string][]byte{"M.npy": npyOf(m, "<f4", false)}) }),
	one("f.npz", false, func(m matrix) []byte { return zipped(map[string][]byte{"M.npy": npyOf(m, "<f8", true)}) }),
	one("array.mtx", false, mtxArray),
	one("a.mtx", true, coordinate),
	one("a.mtx.gz", true, func(m matrix) []byte { return gz(coordinate(m)) }),
	one("csr.npz", true, func(m matrix) []byte { return scipy("csr", m) }),
	one("csc.npz", true, func(m matrix) []byte { return scipy("csc", m) }),
	one("coo.npz", true, func(m matrix) []byte { return scipy("coo", m) }),
	{"parts/", false, func(m matrix) map[string][]byte {
		h := m.rows / 2
		return map[string][]byte{"parts/1.npy": npyOf(matrix{h, m.cols, m.data[:h*m.cols]}, "<f8", true),
			"parts/2.npy": npyOf(matrix{m.rows - h, m.cols, m.data[h*m.cols:]}, "<f4", false)}
	}},
	{"csr/", true, func(m matrix) map[string][]byte {
		indptr, indices, data := csr(m)
		return map[string][]byte{"csr/shape.npy": vector("<i8", []float64{float64(m.rows), float64(m.cols)}), "csr/indptr.npy": vector("<i8", indptr),
			"csr/indices.npy": vector("<i4", indices), "csr/data.npy": vector("<f4", data)}
	}},
}

// put writes the matrix to a folder in this format and returns the path.
func (f format) put(t testing.TB, dir string, m matrix) string {
	t.Helper()
	for name, content := range f.files(m) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, content, 0o666))
	}
	return filepath.Join(dir, f.name)
}
