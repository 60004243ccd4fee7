package matio_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/market"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// deflatedFiles returns files with a matrix of zeros, dense and sparse, of 1000 x 1000
// elements or a million entries of the first column.
func deflatedFiles(t *testing.T) map[string][]byte {
	const n = 1_000_000
	zeros := make([]byte, n)
	one := fmt.Sprintf("(%d,)", n)
	ends := make([]byte, 0, 16)
	ends = matiotest.LE.AppendUint64(matiotest.LE.AppendUint64(ends, 0), n)
	shape := matiotest.NpyFile(1, "<i8", false, "(2,)", matiotest.LE.AppendUint64(matiotest.LE.AppendUint64(nil, 1), 1))
	data := matiotest.NewMember("data.npy", matiotest.NpyFile(1, "|u1", false, one, zeros))
	indices := matiotest.NewMember("indices.npy", matiotest.NpyFile(1, "|u1", false, one, zeros))
	form := func(s string) matiotest.Member {
		return matiotest.NewMember("format.npy", matiotest.NpyFile(1, "|S3", false, "()", []byte(s)))
	}
	return map[string][]byte{
		"dense.npz": matiotest.ZipFile(t, true, matiotest.NewMember("m.npy", matiotest.NpyFile(1, "|u1", false, "(1000, 1000)", zeros))),
		"dense.mat": matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{6, 0}, []uint32{1000, 1000}, matiotest.MatPart(matiotest.LE, false, 2, zeros)))),
		"csr.npz":   matiotest.ZipFile(t, true, form("csr"), matiotest.NewMember("shape.npy", shape), data, indices, matiotest.NewMember("indptr.npy", matiotest.NpyFile(1, "<i8", false, "(2,)", ends))),
		"csc.npz":   matiotest.ZipFile(t, true, form("csc"), matiotest.NewMember("shape.npy", shape), data, indices, matiotest.NewMember("indptr.npy", matiotest.NpyFile(1, "<i8", false, "(2,)", ends))),
		"coo.npz":   matiotest.ZipFile(t, true, form("coo"), matiotest.NewMember("shape.npy", shape), data, matiotest.NewMember("row.npy", data.Content), matiotest.NewMember("col.npy", data.Content)),
		"sparse.mat": matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{5, n}, []uint32{1, 1},
			matiotest.MatPart(matiotest.LE, false, 2, zeros), matiotest.MatPart(matiotest.LE, false, 5, matiotest.Uint32s(matiotest.LE, 0, n)), matiotest.MatPart(matiotest.LE, false, 2, zeros)))),
	}
}

// At every limit a file is read within it, or refused before its numbers are.
func TestSizesFirst(t *testing.T) {
	for name, content := range deflatedFiles(t) {
		path := matiotest.Write(t, name, content)
		for _, transpose := range []bool{false, true} {
			for way, read := range map[string]func(f *matio.File) error{
				"dense64":  func(f *matio.File) error { _, _, _, err := matio.Dense[float64](f); return err },
				"dense32":  func(f *matio.File) error { _, _, _, err := matio.Dense[float32](f); return err },
				"sparse64": func(f *matio.File) error { _, _, _, _, _, err := matio.Sparse[float64](f); return err },
				"sparse32": func(f *matio.File) error { _, _, _, _, _, err := matio.Sparse[float32](f); return err },
			} {
				for limit := int64(1 << 20); ; limit += limit / 2 {
					f := matiotest.Open(t, path, matio.Options{Transpose: transpose, MaxMemory: limit})
					if strings.HasPrefix(way, "sparse") && !f.Sparse() {
						break
					}
					var err error
					took := allocated(func() { err = read(f) })
					f.Close()
					if err == nil {
						break
					}
					if memory := (*matio.MemoryError)(nil); !errors.As(err, &memory) || took > 1<<20 {
						t.Fatalf("%s, transposed %t, %s in %d bytes: %d were allocated before %v", name, transpose, way, limit, took, err)
					}
				}
			}
		}
	}
}

// DenseSize and SparseSize are what Dense and Sparse keep in memory, or no less where
// entries add up or are zero.
func TestSizes(t *testing.T) {
	files := deflatedFiles(t)
	square := make([]byte, 2<<20)
	files["c.npy"] = matiotest.NpyFile(1, "<f8", false, "(512, 512)", square)
	files["f.npy"] = matiotest.NpyFile(1, "<f8", true, "(512, 512)", square)
	files["t.csv"] = bytes.Repeat([]byte("1,2,3\n"), 1000)
	files["a.mtx"] = []byte("%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 5\n3 1 6\n3 2 7\n")
	files["b.mtx"] = []byte("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")
	for name, content := range files {
		path := matiotest.Write(t, name, content)
		for _, transpose := range []bool{false, true} {
			sizes[float64](t, path, transpose)
			sizes[float32](t, path, transpose)
		}
	}
}

// sizes compares what a file is said to take with what it takes.
func sizes[T matio.Float](t *testing.T, path string, transpose bool) {
	t.Helper()
	f := matiotest.Open(t, path, matio.Options{Transpose: transpose})
	defer f.Close()
	before := f.Input().Used
	want := matio.DenseSize[T](f)
	_, _, data := must.Three(matio.Dense[T](f))(t)
	if got := f.Input().Used - before; got != want || f.Mapped() != matio.Mappable[T](f) {
		t.Errorf("%s, transposed %t: %d bytes of %T, %d said", path, transpose, got, data, want)
	}
	if !f.Sparse() {
		return
	}
	before = f.Input().Used
	bytes, entries := matio.SparseSize[T](f)
	_, _, _, idx, val, err := matio.Sparse[T](f)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Input().Used - before; got > bytes || got < bytes && len(idx) == entries || len(idx) > entries {
		t.Errorf("%s, transposed %t: %d bytes and %d entries of %T, %d and %d said", path, transpose, got, len(idx), val, bytes, entries)
	}
}

// A text file in gzip is refused by the sizes that it claims, as far as it may hold them.
func TestMtxSizesFirst(t *testing.T) {
	const n = 200_000
	for head, line := range map[string]string{
		fmt.Sprintf("matrix coordinate real general\n1 1 %d\n", n):    "1 1 1\n",
		fmt.Sprintf("matrix coordinate pattern general\n1 1 %d\n", n): "1 1\n",
		fmt.Sprintf("matrix array real general\n1 %d\n", n):           "0\n",
	} {
		path := matiotest.Write(t, "m.mtx.gz", matiotest.Gz([]byte(market.Banner+" "+head+strings.Repeat(line, n))))
		var err error
		took := allocated(func() { err = matiotest.ReadAll(path, matio.Options{MaxMemory: 8*n - 1}) })
		if memory := (*matio.MemoryError)(nil); !errors.As(err, &memory) || took > 512<<10 {
			t.Errorf("%q: %d bytes were allocated before %v", head, took, err)
		}
		must.Equal(t, matiotest.ReadAll(path, matio.Options{MaxMemory: 64 * n}), nil, head)
	}
	matiotest.WantError(t, matiotest.Write(t, "m.mtx", []byte(market.Banner+" matrix array real general\n1 1000000000\n1\n")), matio.Options{MaxMemory: 1 << 20}, matio.ErrFormat, "ends after 1 of the 1000000000")
}
