package folder_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/folder"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// wantParts compares the matrix in path with m, as a whole and by blocks.
func wantParts(t *testing.T, path string, m matiotest.Matrix) {
	t.Helper()
	matiotest.WantDense(t, path, "", m)
	for _, transpose := range []bool{false, true} {
		want := m
		if transpose {
			want = m.Transpose()
		}
		p := openParts(t, path, matio.Options{Transpose: transpose})
		if r, c := p.Dims(); r != want.Rows || c != want.Cols || p.Sparse() || p.Entries() != 0 {
			t.Fatalf("%s: %d x %d, sparse %t, %d entries", path, r, c, p.Sparse(), p.Entries())
		}
		matiotest.EachBlock(want.Rows, want.Cols, func(b matio.Block) {
			wantBlock[float64](t, p, b, want.Block(b))
			wantBlock[float32](t, p, b, want.Block(b))
		})
	}
}

// readRows reads the rows i0 to i1-1 of a matrix.
func readRows[T matio.Float](p *matio.Parts, dst []T, i0, i1 int) error {
	_, cols := p.Dims()
	return matio.ReadBlock(p, dst, cols, matio.Block{I0: i0, I1: i1, J1: cols})
}

func openParts(t *testing.T, path string, opt matio.Options) *matio.Parts {
	t.Helper()
	p := must.Get(matio.OpenParts(path, opt))(t)
	t.Cleanup(func() { p.Close() })
	return p
}

// wantBlock reads a block with a gap behind each row, which stays as it is.
func wantBlock[T matio.Float](t *testing.T, p *matio.Parts, b matio.Block, want matiotest.Matrix) {
	t.Helper()
	stride := b.Cols() + 3
	dst := make([]T, b.Rows()*stride)
	for i := range dst {
		dst[i] = -7
	}
	must.Do(t, matio.ReadBlock(p, dst, stride, b), "block", b)
	for i := range b.Rows() {
		for j := range stride {
			v := T(-7)
			if j < b.Cols() {
				v = T(want.Data[i*b.Cols()+j])
			}
			if dst[i*stride+j] != v {
				rows, cols := p.Dims()
				t.Fatalf("block %v of %d x %d: element %d, %d is %v, want %v", b, rows, cols, i, j, dst[i*stride+j], v)
			}
		}
	}
}

func TestPartsOfFile(t *testing.T) {
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f4", "<i4", ">u2"} {
		for _, fortran := range []bool{false, true} {
			for _, m := range []matiotest.Matrix{matiotest.Counts, matiotest.Numbered(1, 5), matiotest.Numbered(5, 1), matiotest.New(0, 3, nil), matiotest.New(3, 0, nil)} {
				wantParts(t, matiotest.Write(t, "a.npy", matiotest.NpyOf(m, descr, fortran)), m)
			}
		}
	}
	wantParts(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", false, "(6,)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))), matiotest.New(6, 1, matiotest.Quarters.Data))
	// Longer than what is converted at once, along both sides.
	for _, m := range []matiotest.Matrix{matiotest.Numbered(3, folder.BlockChunk+11), matiotest.Numbered(folder.BlockChunk+11, 3), matiotest.Numbered(301, 203)} {
		for _, fortran := range []bool{false, true} {
			path := matiotest.Write(t, "a.npy", matiotest.NpyOf(m, "<f4", fortran))
			wantParts(t, path, m)
			if p := openParts(t, path, matio.Options{}); p.ByColumns() != fortran || !p.Float32() {
				t.Errorf("by columns %t, want %t; float32 %t", p.ByColumns(), fortran, p.Float32())
			}
		}
	}
}

func TestPartsOfFolder(t *testing.T) {
	m := matiotest.Numbered(9, 4)
	part := func(i0, i1 int, descr string, fortran bool) []byte {
		return matiotest.NpyOf(m.Block(matiotest.Rect(i0, i1, 0, 4)), descr, fortran)
	}
	wantParts(t, matiotest.FolderOf(t, map[string][]byte{
		"part10.npy": part(5, 9, ">i2", true), "part2.npy": part(1, 5, "<f8", false), "part1.npy": part(0, 1, "<f4", true),
		"part3.NPY": part(5, 5, "<f8", false), "README": []byte("other files are passed over"), ".hidden.npy": []byte("so are these"),
	}), m)
	wantParts(t, matiotest.FolderOf(t, map[string][]byte{"a.npy": part(0, 9, "<f8", true)}), m)
	long := matiotest.Numbered(3, folder.StackChunk+5)
	matiotest.WantDense(t, matiotest.FolderOf(t, map[string][]byte{"a.npy": matiotest.NpyOf(long.Block(matiotest.Rect(0, 1, 0, long.Cols)), "<f8", false),
		"b.npy": matiotest.NpyOf(long.Block(matiotest.Rect(1, 3, 0, long.Cols)), "<f8", true)}), "", long)
	// More parts than are open at once.
	files := map[string][]byte{}
	many := matiotest.Numbered(folder.MostOpen+2, 2)
	for i := range many.Rows {
		files[fmt.Sprintf("%d.npy", i)] = matiotest.NpyOf(many.Block(matiotest.Rect(i, i+1, 0, 2)), "<f8", false)
	}
	wantParts(t, matiotest.FolderOf(t, files), many)
}

// wantSparseParts compares the sparse matrix in path with m, as a whole and by blocks.
func wantSparseParts(t *testing.T, path string, m matiotest.Matrix) {
	t.Helper()
	matiotest.WantSparse(t, path, "", m)
	for _, transpose := range []bool{false, true} {
		want := m
		if transpose {
			want = m.Transpose()
		}
		p := openParts(t, path, matio.Options{Transpose: transpose})
		if r, c := p.Dims(); r != want.Rows || c != want.Cols || !p.Sparse() || p.ByColumns() != transpose {
			t.Fatalf("%s: %d x %d, sparse %t, by columns %t", path, r, c, p.Sparse(), p.ByColumns())
		}
		of := map[*matio.Parts]matiotest.Matrix{p: want}
		if !transpose { // also without every third row and column
			var some matiotest.Matrix
			lines := func(n int) (at []int) {
				for i := range n {
					if i%3 != 1 {
						at = append(at, i)
					}
				}
				return at
			}
			rows, cols := lines(want.Rows), lines(want.Cols)
			some.Rows, some.Cols = len(rows), len(cols)
			for _, i := range rows {
				for _, j := range cols {
					some.Data = append(some.Data, want.Data[i*want.Cols+j])
				}
			}
			chosen := must.Get(matio.SelectRows[float64](p, rows, cols))(t)
			of[chosen] = some
		}
		for p, want := range of {
			matiotest.EachBlock(want.Rows, want.Cols, func(b matio.Block) {
				ptr, idx, val := must.Three(matio.SparseBlock[float64](p, b))(t, "block", b)
				part := want.Block(b)
				got := make([]float64, len(part.Data))
				for i := range b.Rows() {
					if !slices.IsSorted(idx[ptr[i]:ptr[i+1]]) {
						t.Errorf("block %v: columns %d", b, idx[ptr[i]:ptr[i+1]])
					}
					for k := ptr[i]; k < ptr[i+1]; k++ {
						got[i*b.Cols()+int(idx[k])] = val[k]
					}
				}
				all, err := p.Pointers(b.I0, b.I1)
				if transpose {
					matiotest.CheckError(t, err, matio.ErrUnsupported, "by columns")
				} else if err != nil || len(all) != b.Rows()+1 || all[0] < 0 || !slices.IsSorted(all) || int64(all[b.Rows()]) > p.Entries() || b.I0 == 0 && all[0] != 0 || b.I1 == want.Rows && int64(all[b.Rows()]) != p.Entries() {
					t.Errorf("rows %d to %d: pointers %d, error %v", b.I0, b.I1, all, err)
				}
				if len(ptr) != b.Rows()+1 || ptr[0] != 0 || ptr[b.Rows()] != len(val) || !slices.Equal(got, part.Data) && len(got) > 0 || slices.Contains(val, 0) {
					t.Errorf("block %v: %v %v %v, want %v", b, ptr, idx, val, part.Data)
				}
			})
		}
	}
}

func TestCSRFolder(t *testing.T) {
	for _, index := range []string{"<i4", "<i8", ">i4", "<u8"} {
		wantSparseParts(t, matiotest.CSRFolder(t, index, nil), matiotest.Counts)
	}
	// More entries than are read at once, in rows of many lengths.
	const rows, cols = 200, 400
	m := matiotest.New(rows, cols, make([]float64, rows*cols))
	indptr, indices, data := []float64{0}, []float64{}, []float64{}
	for i := range rows {
		for j := 0; j < cols && i%7 != 0; j += 1 + i%3 {
			m.Data[i*cols+j] = float64(1 + (i*cols+j)%30000)
			indices, data = append(indices, float64(j)), append(data, m.Data[i*cols+j])
		}
		indptr = append(indptr, float64(len(data)))
	}
	wantSparseParts(t, matiotest.FolderOf(t, map[string][]byte{"shape.npy": matiotest.Vector("<i8", rows, cols), "indptr.npy": matiotest.Vector("<i8", indptr...),
		"indices.npy": matiotest.Vector("<i4", indices...), "data.npy": matiotest.Vector("<f4", data...)}), m)
}

func TestCSRFolderErrors(t *testing.T) {
	ints := func(v ...float64) []byte { return matiotest.Vector("<i4", v...) }
	for _, c := range []struct {
		name     string
		content  []byte
		sentinel error
		text     string
	}{
		{"indptr.npy", nil, matio.ErrFormat, "but indptr.npy is missing"},
		{"shape.npy", nil, matio.ErrFormat, "but shape.npy is missing"},
		{"more.npy", ints(1), matio.ErrUnsupported, "remove more.npy"},
		{"a.png", []byte(matiotest.PNGMagic), matio.ErrUnsupported, "images"},
		{"indptr.npy", ints(0, 3), matio.ErrFormat, "indptr.npy has 2 elements: want 3"},
		{"indptr.npy", ints(0, 3, -1), matio.ErrFormat, "indptr[2] = -1"},
		{"indptr.npy", ints(0, 3, 7)[:70], matio.ErrFormat, "indptr.npy: byte"},
		{"indices.npy", ints(2, 0, 1, 1, 0, 1, 3), matio.ErrFormat, "indices[6] = 3"},
		{"indices.npy", matiotest.NpyFile(1, "|u1", false, "(1, 7)", make([]byte, 7)), matio.ErrFormat, "indices.npy: byte 0: the array has 2 dimensions: want 1"},
		{"shape.npy", ints(2), matio.ErrFormat, "shape.npy has 1 numbers"},
		{"shape.npy", ints(1<<30, 3), matio.ErrFormat, "3 elements: want 1073741825"},
		{"data.npy", []byte("no such thing"), matio.ErrFormat, "not a .npy array"},
	} {
		dir := matiotest.CSRFolder(t, "<i4", map[string][]byte{c.name: c.content})
		matiotest.WantError(t, dir, matio.Options{}, c.sentinel, c.text)
		p, err := matio.OpenParts(dir, matio.Options{})
		if err == nil {
			r, n := p.Dims()
			_, _, _, err = matio.SparseBlock[float64](p, matiotest.Rect(0, r, 0, n))
			p.Close()
		}
		matiotest.CheckError(t, err, c.sentinel, c.text)
	}
}

func TestPartsErrors(t *testing.T) {
	small, wide := matiotest.NpyOf(matiotest.Counts, "<f8", false), matiotest.NpyOf(matiotest.Numbered(2, 4), "<f8", false)
	for _, c := range []struct {
		path     string
		sentinel error
		text     string
	}{
		{matiotest.FolderOf(t, map[string][]byte{"a.npy": small, "b.npy": wide}), matio.ErrUnsupported, "b.npy has 4 columns, but a.npy has 3"},
		{matiotest.FolderOf(t, map[string][]byte{"a.npy": small, "b.npy": small[:len(small)-1]}), matio.ErrFormat, "b.npy: byte"},
		{matiotest.FolderOf(t, map[string][]byte{"a.npy": small, "b.npy": matiotest.NpyFile(1, "<f8", false, "(1, 1, 1)", make([]byte, 8))}), matio.ErrUnsupported, "3 dimensions"},
		{matiotest.FolderOf(t, map[string][]byte{"a.npy": small, "b.png": []byte(matiotest.PNGMagic)}), matio.ErrUnsupported, "and images: keep them apart"},
		{matiotest.FolderOf(t, map[string][]byte{"a.npy": small, "b.gif": []byte("GIF")}), matio.ErrUnsupported, "and images: keep them apart"},
	} {
		matiotest.WantError(t, c.path, matio.Options{}, c.sentinel, c.text)
		_, err := matio.OpenParts(c.path, matio.Options{})
		matiotest.CheckError(t, err, c.sentinel, c.text)
	}
	for _, path := range []string{matiotest.FolderOf(t, map[string][]byte{"a.csv": []byte("1,2\n")}), matiotest.Write(t, "a.csv", []byte("1,2\n")), matiotest.Write(t, "a.npy", nil)} {
		_, err := matio.OpenParts(path, matio.Options{})
		matiotest.CheckError(t, err, matio.ErrUnsupported, "read in parts")
	}
	p := openParts(t, matiotest.Write(t, "a.npy", small), matio.Options{})
	for _, b := range []matio.Block{matiotest.Rect(-1, 1, 0, 1), matiotest.Rect(0, 3, 0, 1), matiotest.Rect(1, 0, 0, 1), matiotest.Rect(0, 1, 0, 4)} {
		if err := matio.ReadBlock(p, make([]float64, 100), 10, b); err == nil {
			t.Errorf("block %v was read", b)
		}
	}
	if err := matio.ReadBlock(p, make([]float64, 5), 3, matiotest.Rect(0, 2, 0, 3)); err == nil {
		t.Error("a block was read into what is too short")
	}
	_, _, _, err := matio.SparseBlock[float64](p, matiotest.Rect(0, 1, 0, 1))
	matiotest.CheckError(t, err, matio.ErrNotSparse, "dense")
	s := openParts(t, matiotest.CSRFolder(t, "<i4", nil), matio.Options{})
	matiotest.CheckError(t, readRows(s, make([]float64, 6), 0, 2), matio.ErrUnsupported, "sparse")
	p.Close()
	matiotest.CheckError(t, readRows(p, make([]float64, 6), 0, 2), os.ErrClosed, "a.npy")
}

// A file that is cut short while it is open is an error that names the place.
func TestPartsCutShort(t *testing.T) {
	path := matiotest.Write(t, "a.npy", matiotest.NpyOf(matiotest.Numbered(100, 100), "<f8", false))
	p := openParts(t, path, matio.Options{})
	must.Do(t, os.Truncate(path, 40000))
	must.Equal(t, readRows(p, make([]float64, 1000), 0, 10), nil)
	matiotest.CheckError(t, readRows(p, make([]float64, 10000), 0, 100), matio.ErrFormat, "byte 40000: the data end too early")
}

// What float32 loses is found in blocks as in the whole.
func TestPartsPrecision(t *testing.T) {
	m := matiotest.New(3, 2, []float64{1, 2, 1e-60, 0, 3, -1e-60})
	p := openParts(t, matiotest.Write(t, "a.npy", matiotest.NpyOf(m, "<f8", false)), matio.Options{})
	dst := make([]float32, 2)
	if err := readRows(p, dst, 0, 1); err != nil || dst[1] != 2 {
		t.Error(dst, err)
	}
	matiotest.CheckError(t, readRows(p, dst, 1, 2), matio.ErrPrecision, "row 2 is nonzero")
	matiotest.CheckError(t, readRows(p, dst, 2, 3), matio.ErrPrecision, "row 3, column 2 is nonzero")
	if err := matio.ReadBlock(p, dst, 1, matiotest.Rect(0, 2, 0, 1)); err != nil || dst[1] != 0 {
		t.Error(dst, err)
	}
	dir := matiotest.CSRFolder(t, "<i4", map[string][]byte{"data.npy": matiotest.NpyFile(1, "<f8", false, "(7,)", matiotest.BytesOf([]float64{1, 2, 3, 0, 0, 0, 1e-60}, "<f8"))})
	_, _, _, err := matio.SparseBlock[float32](openParts(t, dir, matio.Options{}), matiotest.Rect(1, 2, 0, 3))
	matiotest.CheckError(t, err, matio.ErrPrecision, "row 2 is nonzero")
}

// Blocks are read concurrently.
func TestPartsConcurrent(t *testing.T) {
	m := matiotest.Numbered(64, 50)
	dense := openParts(t, matiotest.FolderOf(t, map[string][]byte{"a.npy": matiotest.NpyOf(m.Block(matiotest.Rect(0, 32, 0, 50)), "<i4", true), "b.npy": matiotest.NpyOf(m.Block(matiotest.Rect(32, 64, 0, 50)), "<f8", false)}), matio.Options{})
	sparse := openParts(t, matiotest.CSRFolder(t, "<i4", nil), matio.Options{Transpose: true})
	var done sync.WaitGroup
	for k := range 8 {
		done.Go(func() {
			b := matiotest.Rect(8*k, 8*k+8, k, 50-k)
			got := make([]float64, b.Rows()*b.Cols())
			if err := matio.ReadBlock(dense, got, b.Cols(), b); err != nil || !slices.Equal(got, m.Block(b).Data) {
				t.Errorf("block %v: error %v", b, err)
			}
			if _, _, val, err := matio.SparseBlock[float64](sparse, matiotest.Rect(1, 3, 0, 2)); err != nil || !slices.Equal(val, []float64{1, 100, 2, 5}) {
				t.Errorf("sparse block %v, error %v", val, err)
			}
		})
	}
	done.Wait()
}

// A block of the type of the file is read without allocation, and what a pointer claims
// is not allocated.
func TestPartsAllocate(t *testing.T) {
	p := openParts(t, matiotest.Write(t, "a.npy", matiotest.NpyOf(matiotest.Numbered(100, 100), "<f8", false)), matio.Options{})
	dst := make([]float64, 1000)
	if n := testing.AllocsPerRun(10, func() {
		must.Do(t, readRows(p, dst, 10, 20))
	}); n > 0 && !element.HostBigEndian {
		t.Errorf("%v allocations for a block", n)
	}
	path := matiotest.CSRFolder(t, "<i4", nil)
	s := openParts(t, path, matio.Options{MaxMemory: input.FileBytes * 10})
	must.Do(t, os.WriteFile(filepath.Join(path, folder.CSRNames()[1]), matiotest.NpyFile(1, "<i4", false, "(3,)", matiotest.BytesOf([]float64{0, 3, math.MaxInt32}, "<i4")), 0o666))
	_, _, _, err := matio.SparseBlock[float64](s, matiotest.Rect(0, 2, 0, 3))
	matiotest.CheckError(t, err, matio.ErrFormat, "not in 0 to 7")
}
