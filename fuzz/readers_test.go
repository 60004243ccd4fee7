// Package fuzz holds fuzz targets. Their seeds are in testdata/fuzz.
package fuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// reader is the target for one format.
type reader struct {
	name string // of the target
	file string // the content is put into a file of this name
	// Reading may allocate so many bytes for each byte of the file: elements of
	// a byte become float64, slices grow, and where that is part of the format, a
	// deflated byte expands to 1032.
	ratio uint64
}

var readers = []reader{
	{"FuzzNpy", "a.npy", 64},
	{"FuzzNpz", "a.npz", 64 * 1032},
	{"FuzzMat", "a.mat", 64 * 1032},
	{"FuzzCSV", "a.csv", 256},
	{"FuzzMatrixMarket", "a.mtx", 256},
	{"FuzzImages", filepath.Join("images", "a.pgm"), 64},
	{"FuzzParts", "parts", 64},
	{"FuzzParquet", "a.parquet", 256 * 1032},
}

func FuzzNpy(f *testing.F)          { fuzzReader(f, readers[0]) }
func FuzzNpz(f *testing.F)          { fuzzReader(f, readers[1]) }
func FuzzMat(f *testing.F)          { fuzzReader(f, readers[2]) }
func FuzzCSV(f *testing.F)          { fuzzReader(f, readers[3]) }
func FuzzMatrixMarket(f *testing.F) { fuzzReader(f, readers[4]) }
func FuzzImages(f *testing.F)       { fuzzReader(f, readers[5]) }
func FuzzParts(f *testing.F)        { fuzzReader(f, readers[6]) }
func FuzzParquet(f *testing.F)      { fuzzReader(f, readers[7]) }

func fuzzReader(f *testing.F, r reader) {
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) { r.check(t, dir, content) })
}

// TestMutations feeds the readers with altered seeds, where no fuzzing is
// possible.
func TestMutations(t *testing.T) {
	each := 8
	if os.Getenv("NMU_FULL") != "" {
		each = 50
	}
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			list, err := os.ReadDir(filepath.Join("testdata", "fuzz", r.name))
			if err != nil || len(list) == 0 {
				t.Fatalf("no seeds: %v", err)
			}
			for i, e := range list {
				seed := readSeed(t, filepath.Join("testdata", "fuzz", r.name, e.Name()))
				rnd := rand.New(rand.NewPCG(1, uint64(i)))
				for k := range each {
					r.check(t, dir, mutate(rnd, seed))
					if t.Failed() {
						t.Fatalf("mutation %d of seed %s", k, e.Name())
					}
				}
			}
		})
	}
}

// readSeed reads a seed of a target that takes one []byte.
func readSeed(t *testing.T, path string) []byte {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	_, quoted, _ := strings.Cut(string(text), "[]byte(")
	s := must.Get(strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(quoted), ")")))(t, path)
	return []byte(s)
}

// mutate alters up to four places of a copy of b.
func mutate(rnd *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + rnd.IntN(4) {
		if len(b) < 8 {
			break
		}
		i := rnd.IntN(len(b) - 7)
		switch rnd.IntN(6) {
		case 0:
			b[i] ^= 1 << rnd.IntN(8)
		case 1:
			b[i] = "0123456789-., \n\x00\xff"[rnd.IntN(17)]
		case 2:
			binary.LittleEndian.PutUint32(b[i:], 1<<rnd.IntN(32)-1)
		case 3:
			b = b[:i]
		case 4:
			b = append(b[:i], b[i+rnd.IntN(8):]...)
		case 5:
			b = append(b[:i+8], b[i:]...)
		}
	}
	return b
}

// check reads content as the matrix it may be. It must be read or be an error of
// one of the known kinds, in memory that depends on the size of content, and all
// ways to read it must agree.
func (r reader) check(t *testing.T, dir string, content []byte) {
	path := filepath.Join(dir, r.file)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	if r.name == "FuzzParts" {
		writeParts(t, path, content)
	} else if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if r.name == "FuzzImages" {
		path = filepath.Dir(path)
	}
	ratio := r.ratio
	switch {
	case bytes.HasPrefix(content, []byte("\x1f\x8b")), bytes.HasPrefix(content, []byte("PK")),
		bytes.HasPrefix(content, []byte("MATLAB")), bytes.HasPrefix(content, []byte("\x89PNG")),
		bytes.HasPrefix(content, []byte("\xff\xd8")), bytes.HasPrefix(content, []byte("II*")), bytes.HasPrefix(content, []byte("MM")):
		ratio = 256 * 1032 // content of this kind is read whatever the name of the file
	}
	size := uint64(len(content))
	within := func(what string, base uint64, do func()) {
		if n, limit := allocated(do), base+ratio*size; n > limit {
			t.Errorf("%s allocated %d bytes for a file of %d, at most %d are allowed", what, n, size, limit)
		}
	}
	const (
		buffers = 1 << 19 // of readers and decompressors, and messages
		rows    = 1 << 25 // pointers to rows of a sparse matrix that may be empty
		expand  = 1 << 26 // zeros of a sparse matrix
	)
	checkLimit(t, path, size)
	var f *matio.File
	var err error
	within("Open", buffers, func() { f, err = matio.Open(path, matio.Options{}) })
	if err != nil {
		known(t, err)
		checkStreamed(t, path, 0, nil, err)
		return
	}
	defer f.Close()
	m, n := f.Dims()
	if m < 0 || n < 0 {
		t.Fatalf("Dims() = %d, %d", m, n)
	}
	base := uint64(buffers)
	if f.Sparse() {
		base += rows + expand
	}
	var data []float64
	var single []float32
	within("Dense[float64]", base, func() { _, _, data, err = matio.Dense[float64](f) })
	failed := err != nil
	if failed {
		known(t, err)
	} else if len(data) != m*n {
		t.Fatalf("Dense[float64]: %d elements for %d x %d", len(data), m, n)
	}
	within("Dense[float32]", base, func() { _, _, single, err = matio.Dense[float32](f) })
	lost := errors.Is(err, matio.ErrPrecision)
	switch {
	case lost && !slices.ContainsFunc(data, func(x float64) bool { return x != 0 && float32(x) == 0 }):
		t.Fatalf("Dense[float32]: %v, but float32 holds all of %v", err, data)
	case !lost && (failed != (err != nil) || len(single) != len(data)):
		t.Fatalf("Dense[float32]: %d elements and %v, Dense[float64]: %d", len(single), err, len(data))
	}
	for i, w := range single {
		if v := data[i]; w != float32(v) && !(math.IsNaN(v) && w != w) {
			t.Fatalf("element %d is %v in float64 and %v in float32", i, v, w)
		}
	}
	if !failed {
		checkTransposed(t, path, m, n, data)
		checkStreamed(t, path, n, data, nil)
		if r.name == "FuzzParts" || r.name == "FuzzNpy" {
			checkParts(t, path, m, n, data)
		}
	}
	if f.Sparse() {
		within("Sparse", base, func() { checkSparse(t, f, m, n, data, failed) })
	}
}

// limitBuffers is what readers take beside: buffers of text and numbers, the state
// of a decompressor, what a record of text may grow to before it is looked at.
const limitBuffers = 1 << 20

// checkLimit reads a file of so many bytes under a limit that some files exceed:
// what is refused must be refused before the memory is taken, and what is read
// must be read in what the limit and buffers allow.
func checkLimit(t *testing.T, path string, size uint64) {
	limit := 1<<10 + 4*int64(size)
	var f *matio.File
	var err error
	read := func() {
		if f, err = matio.Open(path, matio.Options{MaxMemory: limit}); err != nil {
			return
		}
		defer f.Close()
		if f.Sparse() {
			_, _, _, _, _, err = matio.Sparse[float64](f)
		} else {
			_, _, _, err = matio.Dense[float64](f)
		}
		if err == nil && f.Left() < 0 {
			t.Errorf("%d bytes more than the limit are in use", -f.Left())
		}
	}
	if n := allocated(read); n > uint64(limit)+limitBuffers {
		t.Errorf("%d bytes allocated under a limit of %d: %v", n, limit, err)
	}
	if err == nil {
		return
	}
	known(t, err)
	// A limit is no other defect of the file.
	if most := (*matio.MemoryError)(nil); errors.As(err, &most) && (most.Need <= most.Limit || most.Limit > limit) {
		t.Errorf("needs %d bytes of %d: %v", most.Need, most.Limit, err)
	}
}

// known fails the test for an error of a kind that the readers do not announce.
func known(t *testing.T, err error) {
	for _, kind := range []error{matio.ErrFormat, matio.ErrUnsupported, matio.ErrVar, matio.ErrTooLarge} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("an error of unknown kind: %v", err)
}

func checkTransposed(t *testing.T, path string, m, n int, data []float64) {
	f := must.Get(matio.Open(path, matio.Options{Transpose: true}))(t)
	defer f.Close()
	rows, cols, turned, err := matio.Dense[float64](f)
	if err != nil {
		if f.Sparse() && errors.Is(err, matio.ErrTooLarge) {
			return // as many rows as are too many are fine as columns
		}
		t.Fatal(err)
	}
	if rows != n || cols != m || len(turned) != len(data) {
		t.Fatalf("%d x %d, transposed %d x %d", m, n, rows, cols)
	}
	for k, v := range data {
		if w := turned[k%n*m+k/n]; math.Float64bits(v) != math.Float64bits(w) && v == v {
			t.Fatalf("element %d, %d is %v, in the transpose %v", k/n, k%n, v, w)
		}
	}
}

// checkSparse compares the sparse matrix with its dense form data, if that could be
// made.
func checkSparse(t *testing.T, f *matio.File, m, n int, data []float64, failed bool) {
	rows, cols, ptr, idx, val, err := matio.Sparse[float64](f)
	if err != nil {
		if known(t, err); !failed {
			t.Errorf("Dense, but not Sparse: %v", err)
		}
		return
	}
	if rows != m || cols != n || len(ptr) != m+1 || ptr[0] != 0 || ptr[m] != len(idx) || len(idx) != len(val) {
		t.Fatalf("Sparse: %d x %d, %d pointers, %d indices, %d values", rows, cols, len(ptr), len(idx), len(val))
	}
	nonzeros := 0
	for i := range m {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			j := int(idx[k])
			if j < 0 || j >= n || k > ptr[i] && idx[k-1] >= idx[k] || val[k] == 0 {
				t.Fatalf("Sparse: row %d has value %v in column %d", i, val[k], j)
			}
			if !failed {
				if v := data[i*n+j]; v != val[k] && v == v {
					t.Fatalf("element %d, %d is %v as dense and %v as sparse", i, j, v, val[k])
				}
			}
		}
		if ptr[i] > ptr[i+1] {
			t.Fatalf("Sparse: pointers %d and %d", ptr[i], ptr[i+1])
		}
	}
	for _, v := range data {
		if v != 0 {
			nonzeros++
		}
	}
	if !failed && nonzeros != len(val) {
		t.Fatalf("%d nonzeros as dense and %d as sparse", nonzeros, len(val))
	}
}

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzWriteNpy writes a matrix and reads it again.
func FuzzWriteNpy(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a.npy")
	f.Fuzz(func(t *testing.T, cols, gap byte, content []byte) {
		data := make([]float64, len(content)/8)
		single := make([]float32, len(data))
		for i := range data {
			data[i] = math.Float64frombits(binary.LittleEndian.Uint64(content[8*i:]))
			single[i] = float32(data[i])
		}
		n, stride := int(cols), int(cols)+int(gap)
		m := 0
		if stride > 0 {
			m = (len(data) + int(gap)) / stride
		}
		writeAndRead(t, path, m, n, data, stride)
		writeAndRead(t, path, m, n, single, stride)
	})
}

func writeAndRead[T matio.Float](t *testing.T, path string, m, n int, data []T, stride int) {
	must.Do(t, matiotest.WriteNpy(path, m, n, data, stride))
	f := must.Get(matio.Open(path, matio.Options{}))(t)
	defer f.Close()
	rows, cols, got, err := matio.Dense[T](f)
	if err != nil || rows != m || cols != n || len(got) != m*n {
		t.Fatalf("%d x %d was read as %d x %d, %d elements, %v", m, n, rows, cols, len(got), err)
	}
	for k, v := range got {
		if w := data[k/n*stride+k%n]; v != w && (v == v || w == w) || math.Signbit(float64(v)) != math.Signbit(float64(w)) {
			t.Fatalf("element %d, %d is %v, was %v", k/n, k%n, v, w)
		}
	}
}
