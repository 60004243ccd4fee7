package matio

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/folder"
	"nmu/internal/matio/internal/picture"
)

// rect is a block.
func rect(i0, i1, j0, j1 int) Block { return Block{I0: i0, I1: i1, J0: j0, J1: j1} }

// block returns a block of m.
func (m matrix) block(b Block) matrix {
	part := matrix{b.Rows(), b.Cols(), nil}
	for i := b.I0; i < b.I1; i++ {
		part.data = append(part.data, m.data[i*m.cols+b.J0:i*m.cols+b.J1]...)
	}
	return part
}

// eachBlock calls do for many blocks of a matrix, all of them if it is small.
func eachBlock(rows, cols int, do func(b Block)) {
	if rows*cols <= 25 {
		for i0 := range rows + 1 {
			for i1 := i0; i1 <= rows; i1++ {
				for j0 := range cols + 1 {
					for j1 := j0; j1 <= cols; j1++ {
						do(rect(i0, i1, j0, j1))
					}
				}
			}
		}
		return
	}
	do(rect(0, rows, 0, cols))
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		b := rect(rnd.IntN(rows+1), rnd.IntN(rows+1), rnd.IntN(cols+1), rnd.IntN(cols+1))
		do(rect(min(b.I0, b.I1), max(b.I0, b.I1), min(b.J0, b.J1), max(b.J0, b.J1)))
	}
}

// wantParts compares the matrix in path with m, as a whole and by blocks.
func wantParts(t *testing.T, path string, m matrix) {
	t.Helper()
	wantDense(t, path, "", m)
	for _, transpose := range []bool{false, true} {
		want := m
		if transpose {
			want = m.transpose()
		}
		p := openParts(t, path, Options{Transpose: transpose})
		if r, c := p.Dims(); r != want.rows || c != want.cols || p.Sparse() || p.Entries() != 0 {
			t.Fatalf("%s: %d x %d, sparse %t, %d entries", path, r, c, p.Sparse(), p.Entries())
		}
		eachBlock(want.rows, want.cols, func(b Block) {
			wantBlock[float64](t, p, b, want.block(b))
			wantBlock[float32](t, p, b, want.block(b))
		})
		rows := make([]float64, want.rows*want.cols)
		if err := ReadRows(p, rows, 0, want.rows); err != nil || !slices.Equal(rows, want.data) && len(rows) > 0 {
			t.Errorf("%s: ReadRows: %v, want %v; error %v", path, rows, want.data, err)
		}
	}
}

func openParts(t *testing.T, path string, opt Options) *Parts {
	t.Helper()
	p, err := OpenParts(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// wantBlock reads a block with a gap behind each row, which stays as it is.
func wantBlock[T Float](t *testing.T, p *Parts, b Block, want matrix) {
	t.Helper()
	stride := b.Cols() + 3
	dst := make([]T, b.Rows()*stride)
	for i := range dst {
		dst[i] = -7
	}
	if err := ReadBlock(p, dst, stride, b); err != nil {
		t.Fatalf("block %v: %v", b, err)
	}
	for i := range b.Rows() {
		for j := range stride {
			v := T(-7)
			if j < b.Cols() {
				v = T(want.data[i*b.Cols()+j])
			}
			if dst[i*stride+j] != v {
				t.Fatalf("block %v, transposed %t: element %d, %d is %v, want %v", b, p.f.in.Transpose, i, j, dst[i*stride+j], v)
			}
		}
	}
}

// numbered is a matrix of small integers that are all different in a row.
func numbered(rows, cols int) matrix {
	m := matrix{rows, cols, make([]float64, rows*cols)}
	for k := range m.data {
		m.data[k] = float64(k % 30011)
	}
	return m
}

// npyOf is a .npy file with m.
func npyOf(m matrix, descr string, fortran bool) []byte {
	data := m.data
	if fortran {
		data = m.transpose().data
	}
	return npyFile(1, descr, fortran, fmt.Sprintf("(%d, %d)", m.rows, m.cols), bytesOf(data, descr))
}

func TestPartsOfFile(t *testing.T) {
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f4", "<i4", ">u2"} {
		for _, fortran := range []bool{false, true} {
			for _, m := range []matrix{counts, numbered(1, 5), numbered(5, 1), {0, 3, nil}, {3, 0, nil}} {
				wantParts(t, write(t, "a.npy", npyOf(m, descr, fortran)), m)
			}
		}
	}
	wantParts(t, write(t, "a.npy", npyFile(1, "<f8", false, "(6,)", bytesOf(quarters.data, "<f8"))), matrix{6, 1, quarters.data})
	// Longer than what is converted at once, along both sides.
	for _, m := range []matrix{numbered(3, folder.BlockChunk+11), numbered(folder.BlockChunk+11, 3), numbered(301, 203)} {
		for _, fortran := range []bool{false, true} {
			path := write(t, "a.npy", npyOf(m, "<f4", fortran))
			wantParts(t, path, m)
			if p := openParts(t, path, Options{}); p.ByColumns() != fortran || !p.Float32() {
				t.Errorf("by columns %t, want %t; float32 %t", p.ByColumns(), fortran, p.Float32())
			}
		}
	}
}

func TestPartsOfFolder(t *testing.T) {
	m := numbered(9, 4)
	part := func(i0, i1 int, descr string, fortran bool) []byte {
		return npyOf(m.block(rect(i0, i1, 0, 4)), descr, fortran)
	}
	wantParts(t, folderOf(t, map[string][]byte{
		"part10.npy": part(5, 9, ">i2", true), "part2.npy": part(1, 5, "<f8", false), "part1.npy": part(0, 1, "<f4", true),
		"part3.NPY": part(5, 5, "<f8", false), "README": []byte("other files are passed over"), ".hidden.npy": []byte("so are these"),
	}), m)
	wantParts(t, folderOf(t, map[string][]byte{"a.npy": part(0, 9, "<f8", true)}), m)
	long := numbered(3, folder.StackChunk+5)
	wantDense(t, folderOf(t, map[string][]byte{"a.npy": npyOf(long.block(rect(0, 1, 0, long.cols)), "<f8", false),
		"b.npy": npyOf(long.block(rect(1, 3, 0, long.cols)), "<f8", true)}), "", long)
	// More parts than are open at once.
	files := map[string][]byte{}
	many := numbered(folder.MostOpen+2, 2)
	for i := range many.rows {
		files[fmt.Sprintf("%d.npy", i)] = npyOf(many.block(rect(i, i+1, 0, 2)), "<f8", false)
	}
	wantParts(t, folderOf(t, files), many)
}

// csrFolder is a folder with counts, its entries out of order, one split in two, and
// with a zero, of which some files are changed.
func csrFolder(t testing.TB, index string, change map[string][]byte) string {
	array := func(descr string, v ...float64) []byte {
		return npyFile(1, descr, false, fmt.Sprintf("(%d,)", len(v)), bytesOf(v, descr))
	}
	files := map[string][]byte{"shape.npy": array("<i8", 2, 3), "indptr.npy": array(index, 0, 3, 7),
		"indices.npy": array(index, 2, 0, 1, 1, 0, 1, 2), "data.npy": array("<f8", 2, 0, 1, 60, 3, 40, 5)}
	for name, content := range change {
		if files[name] = content; content == nil {
			delete(files, name)
		}
	}
	return folderOf(t, files)
}

// wantSparseParts compares the sparse matrix in path with m, as a whole and by blocks.
func wantSparseParts(t *testing.T, path string, m matrix) {
	t.Helper()
	wantSparse(t, path, "", m)
	for _, transpose := range []bool{false, true} {
		want := m
		if transpose {
			want = m.transpose()
		}
		p := openParts(t, path, Options{Transpose: transpose})
		if r, c := p.Dims(); r != want.rows || c != want.cols || !p.Sparse() || p.ByColumns() != transpose {
			t.Fatalf("%s: %d x %d, sparse %t, by columns %t", path, r, c, p.Sparse(), p.ByColumns())
		}
		eachBlock(want.rows, want.cols, func(b Block) {
			ptr, idx, val, err := SparseBlock[float64](p, b)
			if err != nil {
				t.Fatalf("block %v: %v", b, err)
			}
			part := want.block(b)
			got := make([]float64, len(part.data))
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
				checkError(t, err, ErrUnsupported, "by columns")
			} else if err != nil || len(all) != b.Rows()+1 || all[0] < 0 || !slices.IsSorted(all) || int64(all[b.Rows()]) > p.Entries() || b.I0 == 0 && all[0] != 0 || b.I1 == want.rows && int64(all[b.Rows()]) != p.Entries() {
				t.Errorf("rows %d to %d: pointers %d, error %v", b.I0, b.I1, all, err)
			}
			if len(ptr) != b.Rows()+1 || ptr[0] != 0 || ptr[b.Rows()] != len(val) || !slices.Equal(got, part.data) && len(got) > 0 || slices.Contains(val, 0) {
				t.Errorf("block %v: %v %v %v, want %v", b, ptr, idx, val, part.data)
			}
		})
	}
}

func TestCSRFolder(t *testing.T) {
	for _, index := range []string{"<i4", "<i8", ">i4", "<u8"} {
		wantSparseParts(t, csrFolder(t, index, nil), counts)
	}
	// More entries than are read at once, in rows of many lengths.
	const rows, cols = 200, 400
	m := matrix{rows, cols, make([]float64, rows*cols)}
	indptr, indices, data := []float64{0}, []float64{}, []float64{}
	for i := range rows {
		for j := 0; j < cols && i%7 != 0; j += 1 + i%3 {
			m.data[i*cols+j] = float64(1 + (i*cols+j)%30000)
			indices, data = append(indices, float64(j)), append(data, m.data[i*cols+j])
		}
		indptr = append(indptr, float64(len(data)))
	}
	array := func(descr string, v []float64) []byte {
		return npyFile(1, descr, false, fmt.Sprintf("(%d,)", len(v)), bytesOf(v, descr))
	}
	wantSparseParts(t, folderOf(t, map[string][]byte{"shape.npy": array("<i8", []float64{rows, cols}), "indptr.npy": array("<i8", indptr),
		"indices.npy": array("<i4", indices), "data.npy": array("<f4", data)}), m)
}

func TestCSRFolderErrors(t *testing.T) {
	ints := func(v ...float64) []byte {
		return npyFile(1, "<i4", false, fmt.Sprintf("(%d,)", len(v)), bytesOf(v, "<i4"))
	}
	for _, c := range []struct {
		name     string
		content  []byte
		sentinel error
		text     string
	}{
		{"indptr.npy", nil, ErrFormat, "there is no indptr.npy"},
		{"shape.npy", nil, ErrFormat, "there is no shape.npy"},
		{"more.npy", ints(1), ErrFormat, "not more.npy as well"},
		{"a.png", []byte(picture.PNGMagic), ErrUnsupported, "images"},
		{"indptr.npy", ints(0, 3), ErrFormat, "indptr.npy has 2 elements for 2 lines"},
		{"indptr.npy", ints(1, 3, 7), ErrFormat, "indptr[0] = 1"},
		{"indptr.npy", ints(0, 8, 7), ErrFormat, "indptr[1] = 8"},
		{"indptr.npy", ints(0, 3, -1), ErrFormat, "indptr[2] = -1"},
		{"indptr.npy", ints(0, 4, 3), ErrFormat, "indptr[2] = 3 is less"},
		{"indptr.npy", ints(0, 3, 7)[:70], ErrFormat, "indptr.npy: byte"},
		{"indices.npy", ints(2, 0, 1, 1, 0, 1, 3), ErrFormat, "indices[6] = 3"},
		{"indices.npy", ints(2, 0, 1, 1, 0, 1, -1), ErrFormat, "indices[6] = -1"},
		{"indices.npy", ints(2, 0, 1, 1, 0, 1), ErrFormat, "6 and 7 elements"},
		{"indices.npy", npyFile(1, "|u1", false, "(1, 7)", make([]byte, 7)), ErrFormat, "indices.npy: byte 0: want an array of one dimension"},
		{"indices.npy", npyFile(1, "<f4", false, "(7,)", make([]byte, 28)), ErrFormat, "no indices"},
		{"shape.npy", ints(2), ErrFormat, "1 sizes"},
		{"shape.npy", ints(2, -3), ErrFormat, "-3"},
		{"shape.npy", ints(1<<30, 3), ErrFormat, "3 elements for 1073741824 lines"},
		{"data.npy", []byte("no such thing"), ErrFormat, "not a .npy array"},
	} {
		dir := csrFolder(t, "<i4", map[string][]byte{c.name: c.content})
		wantError(t, dir, Options{}, c.sentinel, c.text)
		p, err := OpenParts(dir, Options{})
		if err == nil {
			r, n := p.Dims()
			_, _, _, err = SparseBlock[float64](p, rect(0, r, 0, n))
			p.Close()
		}
		checkError(t, err, c.sentinel, c.text)
	}
}

func TestPartsErrors(t *testing.T) {
	small, wide := npyOf(counts, "<f8", false), npyOf(numbered(2, 4), "<f8", false)
	for _, c := range []struct {
		path     string
		sentinel error
		text     string
	}{
		{folderOf(t, map[string][]byte{"a.npy": small, "b.npy": wide}), ErrFormat, "b.npy has 4 columns, but a.npy has 3"},
		{folderOf(t, map[string][]byte{"a.npy": small, "b.npy": small[:len(small)-1]}), ErrFormat, "b.npy: byte"},
		{folderOf(t, map[string][]byte{"a.npy": small, "b.npy": npyFile(1, "<f8", false, "(1, 1, 1)", make([]byte, 8))}), ErrUnsupported, "3 dimensions"},
		{folderOf(t, map[string][]byte{"a.npy": small, "b.png": []byte(picture.PNGMagic)}), ErrUnsupported, "and images: keep them apart"},
		{folderOf(t, map[string][]byte{"a.npy": small, "b.gif": []byte("GIF")}), ErrUnsupported, "and images: keep them apart"},
	} {
		wantError(t, c.path, Options{}, c.sentinel, c.text)
		_, err := OpenParts(c.path, Options{})
		checkError(t, err, c.sentinel, c.text)
	}
	for _, path := range []string{folderOf(t, map[string][]byte{"a.csv": []byte("1,2\n")}), write(t, "a.csv", []byte("1,2\n")), write(t, "a.npy", nil)} {
		_, err := OpenParts(path, Options{})
		checkError(t, err, ErrUnsupported, "read by parts")
	}
	p := openParts(t, write(t, "a.npy", small), Options{})
	for _, b := range []Block{rect(-1, 1, 0, 1), rect(0, 3, 0, 1), rect(1, 0, 0, 1), rect(0, 1, 0, 4)} {
		if err := ReadBlock(p, make([]float64, 100), 10, b); err == nil {
			t.Errorf("block %v was read", b)
		}
	}
	if err := ReadBlock(p, make([]float64, 5), 3, rect(0, 2, 0, 3)); err == nil {
		t.Error("a block was read into what is too short")
	}
	_, _, _, err := SparseBlock[float64](p, rect(0, 1, 0, 1))
	checkError(t, err, ErrNotSparse, "dense")
	s := openParts(t, csrFolder(t, "<i4", nil), Options{})
	checkError(t, ReadRows(s, make([]float64, 6), 0, 2), ErrUnsupported, "sparse")
	p.Close()
	checkError(t, ReadRows(p, make([]float64, 6), 0, 2), os.ErrClosed, "a.npy")
}

// A file that is cut short while it is open is an error that names the place.
func TestPartsCutShort(t *testing.T) {
	path := write(t, "a.npy", npyOf(numbered(100, 100), "<f8", false))
	p := openParts(t, path, Options{})
	if err := os.Truncate(path, 40000); err != nil {
		t.Fatal(err)
	}
	if err := ReadRows(p, make([]float64, 1000), 0, 10); err != nil {
		t.Error(err)
	}
	checkError(t, ReadRows(p, make([]float64, 10000), 0, 100), ErrFormat, "byte 40000: the data end too early")
}

// What float32 loses is found in blocks as in the whole.
func TestPartsPrecision(t *testing.T) {
	m := matrix{3, 2, []float64{1, 2, 1e-60, 0, 3, -1e-60}}
	p := openParts(t, write(t, "a.npy", npyOf(m, "<f8", false)), Options{})
	dst := make([]float32, 2)
	if err := ReadRows(p, dst, 0, 1); err != nil || dst[1] != 2 {
		t.Error(dst, err)
	}
	checkError(t, ReadRows(p, dst, 1, 2), ErrPrecision, "row 2 is not zero")
	checkError(t, ReadRows(p, dst, 2, 3), ErrPrecision, "row 3, column 2 is not zero")
	if err := ReadBlock(p, dst, 1, rect(0, 2, 0, 1)); err != nil || dst[1] != 0 {
		t.Error(dst, err)
	}
	dir := csrFolder(t, "<i4", map[string][]byte{"data.npy": npyFile(1, "<f8", false, "(7,)", bytesOf([]float64{1, 2, 3, 0, 0, 0, 1e-60}, "<f8"))})
	_, _, _, err := SparseBlock[float32](openParts(t, dir, Options{}), rect(1, 2, 0, 3))
	checkError(t, err, ErrPrecision, "row 2 is not zero")
}

// Blocks are read concurrently.
func TestPartsConcurrent(t *testing.T) {
	m := numbered(64, 50)
	dense := openParts(t, folderOf(t, map[string][]byte{"a.npy": npyOf(m.block(rect(0, 32, 0, 50)), "<i4", true), "b.npy": npyOf(m.block(rect(32, 64, 0, 50)), "<f8", false)}), Options{})
	sparse := openParts(t, csrFolder(t, "<i4", nil), Options{Transpose: true})
	var done sync.WaitGroup
	for k := range 8 {
		done.Go(func() {
			b := rect(8*k, 8*k+8, k, 50-k)
			got := make([]float64, b.Rows()*b.Cols())
			if err := ReadBlock(dense, got, b.Cols(), b); err != nil || !slices.Equal(got, m.block(b).data) {
				t.Errorf("block %v: error %v", b, err)
			}
			if _, _, val, err := SparseBlock[float64](sparse, rect(1, 3, 0, 2)); err != nil || !slices.Equal(val, []float64{1, 100, 2, 5}) {
				t.Errorf("sparse block %v, error %v", val, err)
			}
		})
	}
	done.Wait()
}

// A block of the type of the file is read without allocation, and what a pointer claims
// is not allocated.
func TestPartsAllocate(t *testing.T) {
	p := openParts(t, write(t, "a.npy", npyOf(numbered(100, 100), "<f8", false)), Options{})
	dst := make([]float64, 1000)
	if n := testing.AllocsPerRun(10, func() {
		if err := ReadRows(p, dst, 10, 20); err != nil {
			t.Fatal(err)
		}
	}); n > 0 && !element.HostBigEndian {
		t.Errorf("%v allocations for a block", n)
	}
	s := openParts(t, csrFolder(t, "<i4", nil), Options{MaxMemory: folder.PartBytes * 10})
	if err := os.WriteFile(filepath.Join(s.f.Path(), folder.CsrIndptr), npyFile(1, "<i4", false, "(3,)", bytesOf([]float64{0, 3, math.MaxInt32}, "<i4")), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := SparseBlock[float64](s, rect(0, 2, 0, 3))
	checkError(t, err, ErrFormat, "outside the 7 entries")
}
