package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nmu/cmd/internal/methods"
	"nmu/internal/must"
	"nmu/internal/record"
)

// npy returns a .npy file of version 1 whose header claims type and shape.
func npy(descr, shape string, data []byte) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	for (len(header)+11)%64 != 0 {
		header += " "
	}
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)+1))) + header + "\n" + string(data)
}

// npz returns a .npz file with one array.
func npz(t *testing.T, content string) string {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	must.Get(must.Get(z.Create("x.npy"))(t).Write([]byte(content)))(t)
	must.Do(t, z.Close())
	return file.String()
}

// mat returns a MATLAB version 5 file with a float64 matrix X whose header
// claims rows and cols.
func mat(rows, cols uint32, data []byte) string {
	le := binary.LittleEndian
	header := make([]byte, 128)
	for i := range header[:124] {
		header[i] = ' '
	}
	copy(header, "MATLAB 5.0 MAT-file")
	le.PutUint16(header[124:], 0x0100)
	copy(header[126:], "IM")
	element := func(kind uint32, body []byte) []byte {
		b := le.AppendUint32(le.AppendUint32(nil, kind), uint32(len(body)))
		b = append(b, body...)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
		return b
	}
	const miInt8, miInt32, miUint32, miDouble, miMatrix, mxDouble = 1, 5, 6, 9, 14, 6
	matrix := element(miUint32, le.AppendUint32(le.AppendUint32(nil, mxDouble), 0))
	matrix = append(matrix, element(miInt32, le.AppendUint32(le.AppendUint32(nil, rows), cols))...)
	matrix = append(matrix, element(miInt8, []byte("X"))...)
	matrix = append(matrix, element(miDouble, data)...)
	return string(append(header, element(miMatrix, matrix)...))
}

// noFile checks that nothing is at the path.
func noFile(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there (%v)", path, err)
		os.RemoveAll(path)
	}
}

// Input that cannot be factored ends with one line that says why and where, and
// no output.
func TestBadFiles(t *testing.T) {
	images := t.TempDir()
	writeImage(t, filepath.Join(images, "a.png"), 3, 2, 9)
	writeImage(t, filepath.Join(images, "b.png"), 2, 3, 9)
	huge := t.TempDir()
	write(t, filepath.Join(huge, "a.pgm"), "P5\n100000000 10000000\n255\nabc")
	short := t.TempDir()
	write(t, filepath.Join(short, "a.pgm"), "P5\n4 3\n255\nabc")
	numbers := make([]byte, 6*8)
	for _, c := range []struct {
		name, file, content string
		says                []string
	}{
		{"nan", "m.csv", "1,2\n3,4\n5,NaN\n", []string{"m.csv", "row 3, column 2 is \"NaN\"", "--missing drop-rows"}},
		{"inf", "m.csv", "1,2\n+Inf,4\n", []string{"m.csv", "row 2, column 1 of M = +Inf is not finite"}},
		{"minus inf", "m.csv", "1,-Inf\n3,4\n", []string{"m.csv", "row 1, column 2 of M = -Inf is not finite"}},
		{"negative", "m.csv", "1,2\n3,-0.3\n", []string{"m.csv", "row 2, column 2 of M = -0.3 is negative"}},
		{"squares overflow", "m.csv", "1,2\n3,1e200\n", []string{"m.csv", "row 2", "overflow", "scale"}},
		{"no rows", "m.npy", npy("<f8", "(0, 5)", nil), []string{"m.npy", "empty (0 x 5)"}},
		{"no columns", "m.npy", npy("<f8", "(5, 0)", nil), []string{"m.npy", "empty (5 x 0)"}},
		{"empty text", "m.csv", "", []string{"m.csv", "empty"}},
		{"empty file", "m.npy", "", []string{"m.npy"}},
		{"npy truncated", "m.npy", npy("<f8", "(3, 2)", numbers[:40]), []string{"m.npy"}},
		{"npy header truncated", "m.npy", npy("<f8", "(3, 2)", nil)[:20], []string{"m.npy"}},
		{"npy oversized", "m.npy", npy("<f8", "(100000000, 10000000)", numbers), []string{"m.npy"}},
		{"npy overflow", "m.npy", npy("<f8", "(4611686018427387904, 4)", numbers), []string{"m.npy"}},
		{"npz truncated", "m.npz", npz(t, npy("<f8", "(3, 2)", numbers))[:90], []string{"m.npz"}},
		{"npz oversized", "m.npz", npz(t, npy("<f8", "(100000000, 10000000)", numbers)), []string{"m.npz"}},
		{"mat truncated", "m.mat", mat(3, 2, numbers)[:200], []string{"m.mat"}},
		{"mat oversized", "m.mat", mat(100000000, 10000000, numbers), []string{"m.mat"}},
		{"mat overflow", "m.mat", mat(1<<31-1, 1<<31-1, numbers), []string{"m.mat"}},
		{"mat 7.3", "m.mat", "\x89HDF\r\n\x1a\n", []string{"m.mat", "HDF5"}},
		{"ragged text", "m.csv", "1,2\n3\n", []string{"m.csv", "line 2"}},
		{"no number", "m.csv", "1,2\n3,x\n", []string{"m.csv", "line 2", `"x"`}},
		{"unknown type", "m.doc", "hello", []string{"m.doc", "unknown type"}},
		{"images of two sizes", images, "", []string{"b.png"}},
		{"pgm oversized", huge, "", []string{"a.pgm"}},
		{"pgm truncated", short, "", []string{"a.pgm"}},
		{"folder without images", t.TempDir(), "", []string{"image"}},
		{"missing", filepath.Join(images, "missing.npy"), "", []string{"missing.npy", "no such file"}},
		{"below a file", filepath.Join(images, "a.png", "m.npy"), "", []string{"m.npy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := c.file
			if !filepath.IsAbs(input) {
				input = textFile(t, c.file, c.content)
			}
			out := filepath.Join(t.TempDir(), "out")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			fails(t, c.says, "factor", input, "--rank", "1", "--out", out)
			runtime.ReadMemStats(&after)
			must.AtMost(t, after.TotalAlloc-before.TotalAlloc, 16<<20, "bytes were allocated")
			noFile(t, out)
		})
	}
	// The files that the faults were made from are sound.
	succeed(t, "factor", textFile(t, "m.npy", npy("<f8", "(3, 2)", numbers)), "--rank", "1")
	succeed(t, "factor", textFile(t, "m.npz", npz(t, npy("<f8", "(3, 2)", numbers))), "--rank", "1")
	succeed(t, "factor", textFile(t, "m.mat", mat(3, 2, numbers)), "--var", "X", "--rank", "1")
}

// Where a float32 cannot hold an entry the error says so. What becomes zero is refused as well, rather than factored
// exactly.
func TestBadForFloat32(t *testing.T) {
	script(t, `
-- large.csv 1,2\n3,1e39\n
-- small.csv 1e-160,2e-160\n3e-160,4e-160\n
-- negative.csv 1,2\n3,-1e-300\n
factor large.csv --rank 1 --precision float32 | refused: large.csv | row 2, column 2 of M | float32
factor small.csv --rank 1 --precision float32 | refused: small.csv | row 1 is nonzero | float32 | scale the matrix up
factor negative.csv --rank 1 --precision float32 | refused: negative.csv | row 2, column 2 | float32
factor negative.csv --rank 1 | refused: negative.csv | row 2, column 2 | negative
`)
}

// Options that do not fit are refused before anything is computed.
func TestBadOptions(t *testing.T) {
	input := textFile(t, "m.csv", "1,2\n3,4\n5,6\n")
	start := t.TempDir()
	succeed(t, "factor", input, "--rank", "2", "--iterations", "3", "--restarts", "1", "--out", start)
	negative := t.TempDir()
	for name, content := range map[string]string{
		record.NameV: npy("<i4", "(3, 1)", []byte("\x01\x00\x00\x00\xff\xff\xff\xff\x01\x00\x00\x00")),
		record.NameW: npy("|u1", "(1, 2)", []byte("\x01\x01")),
	} {
		write(t, filepath.Join(negative, name), content)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--rank 0: choose a whole number, 1 or more", []string{"--rank", "0"}},
		{"rank -1", []string{"--rank", "-1"}},
		{"rank 4611686018427387904 for a 3 x 2 matrix", []string{"--rank", "4611686018427387904"}},
		{"--method nfm: choose " + strings.Join(methods.Names(methods.Any), " or ") + " (did you mean nmf?)", []string{"--method", "nfm"}},
		{"--precision float16: choose float32 or float64", []string{"--precision", "float16"}},
		{"--block 0", []string{"--method", "rnmu", "--block", "0"}},
		{"--block is for rnmu; nmf does not have it", []string{"--block", "1", "--method", "nmf", "--rank", "2", "--block", "3"}},
		{"--iterations 0", []string{"--iterations", "0"}},
		{"--iterations -5", []string{"--iterations", "-5"}},
		{"--inner 0", []string{"--method", "gnmu", "--inner", "0"}},
		{"--inner is for gnmu and rnmu; nmf does not have it", []string{"--inner", "3", "--method", "nmf"}},
		{"--inner x; choose a whole number", []string{"--method", "gnmu", "--inner", "x"}},
		{"--inner is empty; choose a whole number", []string{"--method", "gnmu", "--inner", ""}},
		{"--restarts 0", []string{"--restarts", "0"}},
		{"--threads 0", []string{"--threads", "0"}},
		{"--threads 1000000000", []string{"--threads", "1000000000"}},
		{"--seed", []string{"--seed", "-1"}},
		{"--tolerance -1: choose a number, 0 or more", []string{"--tolerance", "-1"}},
		{"--tolerance NaN: choose a number, 0 or more", []string{"--tolerance", "NaN"}},
		{"--target-error Inf: choose a number, 0 or more", []string{"--target-error", "Inf"}},
		{"--time-limit -1s", []string{"--time-limit", "-1s"}},
		{"--time-limit", []string{"--time-limit", "5"}},
		{"restarts from one start", []string{"--init", "svd", "--restarts", "2"}},
		{"restarts from one start", []string{"--init", start, "--rank", "2", "--restarts", "2"}},
		{"--init is empty", []string{"--init", ""}},
		{"--init nowhere", []string{"--init", "nowhere"}},
		{"--init " + start + ": bad shape: the start V is 3 x 2, want 3 x 1", []string{"--init", start}},
		{"the start W is 2 x 2, want 2 x 3", []string{"--init", start, "--rank", "2", "--var", "wide"}},
		{"--init " + negative + ": row 2, column 1 of V = -1 is negative", []string{"--init", negative}},
		{"--image", []string{"--image", "3"}},
		{"--image", []string{"--image", "0x3"}},
		{"--image", []string{"--image", "axb"}},
		{"--image 2x2 does not fit the columns of the matrix, which have 3 entries", []string{"--image", "2x2"}},
		{`variable "Y"`, []string{"--var", "Y"}},
		{"--out is empty", []string{"--out", ""}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		file := input
		if n := len(c.args); c.args[n-1] == "wide" { // a matrix that V fits and W does not
			file, c.args = textFile(t, "wide.csv", "1,2,3\n3,4,5\n5,6,7\n"), c.args[:n-2]
		}
		fails(t, []string{c.says}, append([]string{"factor", file, "--rank", "1", "--out", out}, c.args...)...)
		noFile(t, out)
	}
	fails(t, []string{"one INPUT", "got 0"}, "factor", "--rank", "1")
	fails(t, []string{"one INPUT", "got 2"}, "factor", input, input, "--rank", "1")
	fails(t, []string{"--rank is missing, such as --rank 10"}, "factor", input)
}

// An output folder that cannot be written is found before the computation,
// which would take hours here.
func TestBadOut(t *testing.T) {
	input := swimmerFile(t, false)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "mine")
	taken := filepath.Join(dir, "taken")
	for _, name := range []string{record.NameW, "rnmu.png"} {
		must.Do(t, os.MkdirAll(filepath.Join(taken, name), 0o777))
	}
	for _, c := range []struct{ out, says string }{
		{file, file},
		{filepath.Join(file, "below"), file},
		{taken, "is in the way"},
		{dir + "/a\x00b", "invalid"},
	} {
		fails(t, []string{"--out: ", c.says}, "factor", input, "--rank", "100", "--iterations", "1000000", "--out", c.out)
		fails(t, []string{"--out: ", c.says}, "demo", "--out", c.out)
	}
	fails(t, []string{"--out is empty"}, "demo", "--out", "")
	if text, err := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("the file in the way was changed: %q, %v", text, err)
	}
	must.Equal(t, len(names(t, taken)), 2, "left behind")
	if runtime.GOOS != "windows" && os.Getuid() != 0 { // root may write anywhere
		locked := filepath.Join(dir, "locked")
		must.Do(t, os.Mkdir(locked, 0o555))
		fails(t, []string{"--out: ", "permission denied"}, "factor", input, "--rank", "1", "--out", locked)
	}
}
