package matio_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/crc32"
	plain "image"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sys/unix"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/memory"
	"nmu/internal/must"
)

// readLimited is the environment variable that makes this test binary a process
// with little memory that reads the file it names.
const readLimited = "MATIO_TEST_READ_LIMITED"

// Exit statuses of that process. A crash of Go is 2.
const (
	statusTooLarge = 10 + iota
	statusOther
	statusRead
	statusNoLimit
)

func TestMain(m *testing.M) {
	if path := os.Getenv(readLimited); path != "" {
		os.Exit(readWithin(path))
	}
	os.Exit(m.Run())
}

// headroom is how much address space that process has beyond what it begins with.
const headroom = 256 << 20

// readWithin reads a file as all that a caller may ask for, in little memory.
func readWithin(path string) (status int) {
	statm, _ := os.ReadFile("/proc/self/statm")
	pages, err := strconv.ParseUint(strings.SplitN(string(statm), " ", 2)[0], 10, 64)
	if err != nil {
		return statusNoLimit
	}
	limit := unix.Rlimit{Cur: pages*uint64(os.Getpagesize()) + headroom, Max: unix.RLIM_INFINITY}
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &now) != nil {
		return statusNoLimit
	}
	limit.Max = now.Max
	// An emulator accepts a limit and does not keep it.
	if unix.Setrlimit(unix.RLIMIT_AS, &limit) != nil || unix.Getrlimit(unix.RLIMIT_AS, &now) != nil || now != limit {
		return statusNoLimit
	}
	debug.SetMemoryLimit(memory.Free()) // as the command does: no garbage beside what is counted
	if err = matiotest.ReadAll(path, matio.Options{}); err == nil {
		err = matiotest.ReadAll(path, matio.Options{Transpose: true})
	}
	if err != nil {
		fmt.Println(err)
	}
	var most *matio.MemoryError
	switch {
	case err == nil:
		return statusRead
	case errors.Is(err, matio.ErrTooLarge) && (errors.As(err, &most) || strconv.IntSize == 32): // on which sizes may be too large to be counted
		return statusTooLarge
	}
	return statusOther
}

// inflating returns deflated data: head, and then unit so many times. They are
// made in the time that a few units take. unit fills the window of deflate.
func inflating(t testing.TB, head, unit []byte, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := must.Get(flate.NewWriter(&b, flate.BestCompression))(t)
	put := func(data []byte) (written []byte) {
		from := b.Len()
		must.Get(w.Write(data))(t)
		if err := w.Flush(); err != nil { // ends at a byte
			t.Fatal(err)
		}
		return slices.Clone(b.Bytes()[from:])
	}
	out := append(put(head), put(unit)...)
	out = append(out, bytes.Repeat(put(unit), times-1)...) // what precedes each is the same
	return append(out, 3, 0)                               // an empty last block
}

// gzipped is a file of such data.
func gzipped(deflated []byte) []byte {
	return append(append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), deflated...), make([]byte, 8)...)
}

// sparseFile writes a file that goes on with zeros, which take no place on disk.
func sparseFile(t *testing.T, name string, head []byte, size int64) string {
	t.Helper()
	path := matiotest.Write(t, name, head)
	must.Do(t, os.Truncate(path, size))
	return path
}

// bombs are small files, or files without content, for each of the functions that
// Open ends in: what they expand to, or what this package makes of it, is more
// than headroom, by every way that the reader has to get memory.
func bombs(t *testing.T) []struct{ name, opener, path string } {
	const mega = 1 << 20
	zeros := make([]byte, mega)
	const many = 800 * mega
	text := func(s string) []byte { return bytes.Repeat([]byte(s), mega/len(s)) }
	npy := func(descr string, shape string) []byte { return matiotest.NpyFile(1, descr, false, shape, nil) }
	zipped := func(unit []byte, descr, shape string, n int) matiotest.Member {
		head := npy(descr, shape)
		return matiotest.Claim("", inflating(t, head, unit, n/mega), uint64(len(head)+n))
	}
	small := func(name string, content []byte) matiotest.Member {
		return matiotest.Claim(name, inflating(t, content, nil, 1), uint64(len(content)))
	}
	named := func(name string, m matiotest.Member) matiotest.Member { m.Name = name; return m }

	matrix := func(class uint32, dims []uint32, parts ...[]byte) []byte {
		return matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{class, 0}, dims, parts...)
	}
	const matBytes = 900 * mega
	dense := matrix(9, []uint32{1, matBytes}, matiotest.Uint32s(matiotest.LE, 2, matBytes))
	copy(dense[4:], matiotest.Uint32s(matiotest.LE, uint32(len(dense)-8+matBytes)))
	sparse := matrix(5, []uint32{1, 1}, matiotest.Uint32s(matiotest.LE, 5, matBytes))
	copy(sparse[4:], matiotest.Uint32s(matiotest.LE, uint32(len(sparse)-8+matBytes)))
	packed := func(head []byte) []byte {
		z := append([]byte("\x78\x9c"), inflating(t, head, zeros, matBytes/mega)...)
		return matiotest.MatFile5(matiotest.LE, append(matiotest.Uint32s(matiotest.LE, 15, uint32(len(z))), z...))
	}

	entries := "%%MatrixMarket matrix coordinate pattern general\n"
	list := strings.Repeat("1 1\n", 400_000)
	header := func(bits, interlace byte, w, h uint32) []byte {
		b := []byte(matiotest.PNGMagic + "\x00\x00\x00\x0dIHDR")
		b = matiotest.BE.AppendUint32(matiotest.BE.AppendUint32(b, w), h)
		b = append(b, bits, 0, 0, 0, interlace)
		return matiotest.BE.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
	}
	image := func(name string, head []byte, size int64) string {
		return filepath.Dir(sparseFile(t, name, head, size))
	}
	beside := func(raster, header string) string {
		path := strings.TrimSuffix(raster, filepath.Ext(raster)) + ".hdr"
		must.Do(t, os.WriteFile(path, []byte(header), 0o666))
		return path
	}
	pages := func(w, h uint32) []byte { // a TIFF file of two pages
		b := []byte("II*\x00\x08\x00\x00\x00")
		for next := range uint32(2) {
			b = matiotest.LE.AppendUint16(b, 4)
			for _, tag := range [][2]uint32{{256, w}, {257, h}, {258, 8}, {262, 1}} {
				b = append(matiotest.LE.AppendUint16(b, uint16(tag[0])), 4, 0, 1, 0, 0, 0)
				b = matiotest.LE.AppendUint32(b, tag[1])
			}
			b = matiotest.LE.AppendUint32(b, (1-next)*uint32(len(b)+4))
		}
		return b
	}
	record := []byte("PK\x01\x02\x14\x00\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00a.npy")
	records := bytes.Repeat(record, 40*mega/len(record))
	end := append([]byte("PK\x05\x06\x00\x00\x00\x00"), matiotest.LE.AppendUint16(matiotest.LE.AppendUint16(nil, uint16(40*mega/len(record))), uint16(40*mega/len(record)))...)
	end = append(matiotest.LE.AppendUint32(matiotest.LE.AppendUint32(end, uint32(len(records))), 4), 0, 0)

	return []struct{ name, opener, path string }{
		{"npy, to be mapped", "npy.Open", sparseFile(t, "a.npy", npy("<f8", "(10, 10485760)"), int64(len(npy("<f8", "(10, 10485760)")))+many)},
		{"npy, converted", "npy.Open", sparseFile(t, "a.npy", npy("|u1", "(10, 10485760)"), int64(len(npy("|u1", "(10, 10485760)")))+100*mega)},
		{"cube", "npy.openCube", sparseFile(t, "c.npy", matiotest.NpyFile(1, "|u1", true, "(1024, 10240, 10)", nil), int64(len(matiotest.NpyFile(1, "|u1", true, "(1024, 10240, 10)", nil)))+100*mega)},
		{"npz", "npz.openOnly", matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, named("a.npy", zipped(zeros, "<f8", "(10, 10485760)", many))))},
		{"npz, a directory", "npz.Open", matiotest.Write(t, "a.npz", slices.Concat([]byte("PK\x03\x04"), records, end))},
		{"npz of SciPy", "npz.openSparse", matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true,
			small("format.npy", matiotest.NpyFile(1, "|S3", false, "()", []byte("csr"))),
			small("shape.npy", matiotest.NpyFile(1, "<i4", false, "(2,)", matiotest.Uint32s(matiotest.LE, 1, 1))),
			small("indptr.npy", matiotest.NpyFile(1, "<i4", false, "(2,)", matiotest.Uint32s(matiotest.LE, 0, 100*mega))),
			named("indices.npy", zipped(zeros, "|u1", "(104857600,)", 100*mega)),
			named("data.npy", zipped(zeros, "|u1", "(104857600,)", 100*mega))))},
		{"mat v6", "mat.Open", sparseFile(t, "a.mat", matiotest.MatFile5(matiotest.LE, dense), int64(len(matiotest.MatFile5(matiotest.LE, dense)))+matBytes)},
		{"mat v7", "mat.Open", matiotest.Write(t, "a.mat", packed(dense))},
		{"mat v7, sparse", "mat.Open", matiotest.Write(t, "a.mat", packed(sparse))},
		{"csv, one line", "table.open", sparseFile(t, "a.csv", nil, 64*mega)},
		{"csv.gz, lines", "table.open", matiotest.Write(t, "a.csv.gz", gzipped(inflating(t, nil, text(strings.Repeat("1,", 511)+"1\n"), 4096)))},
		{"csv.gz, a line", "table.open", matiotest.Write(t, "a.csv.gz", gzipped(inflating(t, nil, text("1,"), 4096)))},
		{"csv.gz, empty cells", "table.open", matiotest.Write(t, "a.csv.gz", gzipped(inflating(t, nil, text(","), 4096)))},
		{"csv.gz, a cell", "table.open", matiotest.Write(t, "a.csv.gz", gzipped(inflating(t, []byte(`1,"`), text("1\n"), 4096)))},
		{"csv.gz, a comment", "table.open", matiotest.Write(t, "a.csv.gz", gzipped(inflating(t, []byte("1\n#"), text("1,"), 4096)))},
		{"curves, a line", "curves.Open", filepath.Dir(sparseFile(t, "a.txt", []byte("1 2\n"), 64*mega))},
		{"mtx, rows", "market.Open", matiotest.Write(t, "a.mtx", []byte(entries+"90000000 3 400000\n"+list))},
		{"mtx, made dense", "market.Open", matiotest.Write(t, "a.mtx", []byte(entries+"10000 10000 400000\n"+list))},
		{"mtx.gz, entries", "market.Open", matiotest.Write(t, "a.mtx.gz", gzipped(inflating(t, []byte(entries+"1 1 1000000000000\n"), text("1 1\n"), 4096)))},
		{"mtx.gz, array", "market.Open", matiotest.Write(t, "a.mtx.gz", gzipped(inflating(t, []byte("%%MatrixMarket matrix array real general\n1 1000000000000\n"), text("1\n"), 4096)))},
		{"triples.gz", "table.open", matiotest.Write(t, "a.csv.gz", gzipped(inflating(t, []byte("row,column,value\n"), text("a,b,1\n"), 4096)))},
		{"cells, names", "market.Open", cellFolder(t, gzipped(inflating(t, nil, text("gene\n"), 4096)))},
		{"PNG", "picture.Open", image("a.png", header(1, 0, 50_000, 50_000), 304_000)},
		{"PNG, decoded", "picture.Open", image("a.png", header(16, 1, 3500, 3500), mega)},
		{"JPEG", "picture.Open", image("a.jpg", matiotest.Enlarged(matiotest.JPEGFile(t, plain.NewGray(plain.Rect(0, 0, 8, 8)))), 9*mega)},
		{"TIFF pages", "picture.OpenTIFF", sparseFile(t, "a.tif", pages(60_000, 60_000), mega)},
		{"Parquet, a run", "parquet.Open", matiotest.Write(t, "a.parquet", parquetOf(t, many))},
		{"ENVI, converted", "envi.Open", beside(sparseFile(t, "a.img", nil, 100*mega), "ENVI\nlines = 10240\nsamples = 1024\nbands = 10\ninterleave = bil\ndata type = 1\n")},
		{"parts", "npy.Open", filepath.Dir(sparseFile(t, "a.npy", matiotest.NpyFile(1, "|u1", false, "(100, 1048576)", nil), int64(len(matiotest.NpyFile(1, "|u1", false, "(100, 1048576)", nil)))+100*mega))},
		{"CSR folder", "npy.Open", manyEntries(t, 30*mega)},
		{"PGM", "picture.Open", image("a.pgm", []byte("P5 10000 10000 255\n"), int64(len("P5 10000 10000 255\n"))+100_000_000)},
	}
}

// parquetOf is a Parquet file with a column of n numbers, one run of the same.
func parquetOf(t *testing.T, n int) []byte {
	thrifty := func(x any) []byte { return must.Get(thrift.Marshal(new(thrift.CompactProtocol), x))(t) }
	b := append([]byte("PAR1"), thrifty(format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 8, CompressedPageSize: 8,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 1})})...)
	b = append(b, make([]byte, 8)...)
	run := binary.AppendUvarint([]byte{0}, uint64(n)<<1)
	at, size := len(b), int32(len(run))
	b = append(b, thrifty(format.PageHeader{UncompressedPageSize: size, CompressedPageSize: size,
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(n), Encoding: format.RLEDictionary})})...)
	b = append(b, run...)
	column := format.ColumnMetaData{Type: format.Double, NumValues: int64(n), DictionaryPageOffset: 4, DataPageOffset: int64(at), TotalCompressedSize: int64(len(b) - 4)}
	footer := thrifty(format.FileMetaData{Version: 1, NumRows: int64(n),
		Schema:    []format.SchemaElement{{Name: "schema", NumChildren: thrift.New[int32](1)}, {Name: "x", Type: thrift.New(format.Double)}},
		RowGroups: []format.RowGroup{{NumRows: int64(n), Columns: []format.ColumnChunk{{MetaData: column}}}}})
	return append(binary.LittleEndian.AppendUint32(append(b, footer...), uint32(len(footer))), "PAR1"...)
}

// cellFolder is a folder of Cell Ranger with these features, and many rows.
func cellFolder(t *testing.T, features []byte) string {
	path := matiotest.Write(t, "matrix.mtx", []byte("%%MatrixMarket matrix coordinate integer general\n2000000000 1 0\n"))
	must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(path), "features.tsv.gz"), features, 0o666))
	return filepath.Dir(path)
}

// manyEntries is a folder with a sparse matrix of so many entries.
func manyEntries(t *testing.T, n int64) string {
	dir := matiotest.CSRFolder(t, "<i4", map[string][]byte{"indptr.npy": matiotest.NpyFile(1, "<i8", false, "(3,)", matiotest.BytesOf([]float64{0, 3, float64(n)}, "<i8"))})
	for _, name := range []string{"indices.npy", "data.npy"} {
		head := matiotest.NpyFile(1, "|u1", false, fmt.Sprintf("(%d,)", n), nil)
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.WriteFile(path, head, 0o666), os.Truncate(path, int64(len(head))+n)))
	}
	return dir
}

// Under a limit of memory that the system keeps, a file that would take more is
// one line, and not a crash.
func TestReadersWithinLimit(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector needs more addresses than the limit leaves")
	}
	self := must.Get(os.Executable())(t)
	limit := regexp.MustCompile(" of memory; the limit is ")
	if strconv.IntSize == 32 { // on which some numbers of elements cannot be counted
		limit = regexp.MustCompile(" of memory; the limit is |too large")
	}
	tried := map[string]bool{"hdf5.Open": true} // in TestRefused there, which has h5py write the file
	for _, b := range bombs(t) {
		if os.Getenv("NMU_FULL") == "" && tried[b.opener] && filepath.Ext(b.path) == ".gz" {
			continue // inflating takes its time
		}
		tried[b.opener] = true
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self)
			// Beside a C library (the tag hdf5), that of GNU gives every thread 64 MiB of
			// addresses of its own, which the limit would count.
			cmd.Env = append(os.Environ(), readLimited+"="+b.path, "MALLOC_ARENA_MAX=1")
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Skipf("the child is this test binary, which cannot start itself here (an emulator?): %v", err)
			}
			switch status := cmd.ProcessState.ExitCode(); {
			case status == statusNoLimit:
				t.Skip("this system (an emulator?) keeps no limit of the address space")
			case status != statusTooLarge:
				t.Errorf("status %d, %.2000s", status, out)
			case bytes.Count(out, []byte("\n")) != 1 || !limit.Match(out) || !bytes.HasPrefix(out, []byte(b.path)):
				t.Errorf("not one line that names the file, what it needs and the limit: %s", out)
			}
		})
	}
	for _, name := range openers(t) {
		if !tried[name] {
			t.Errorf("no file is read by %s, which a file may end in", name)
		}
	}
}

// openers returns the functions that Open ends in: those of the packages of formats that
// are named open and call no others of these.
func openers(t *testing.T) (names []string) {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join("internal", "*", "*.go")))(t)
	rooms := map[string]bool{}
	for _, name := range files {
		rooms[filepath.Base(filepath.Dir(name))] = true
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !opens(f.Name.Name) {
				continue
			}
			last := true
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr: // of another package
					of, ok := n.X.(*ast.Ident)
					last = last && !(ok && rooms[of.Name] && opens(n.Sel.Name))
					return false
				case *ast.Ident:
					last = last && !opens(n.Name)
				}
				return true
			})
			if last {
				names = append(names, file.Name.Name+"."+f.Name.Name)
			}
		}
	}
	if len(names) == 0 {
		t.Error("no function opens anything")
	}
	return names
}

// opens says whether a function of this name opens a kind of file.
func opens(name string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(name[:1])+name[1:], "open")
	return ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z')
}
