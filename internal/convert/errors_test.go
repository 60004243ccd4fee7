package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

func wantError(t *testing.T, err, kind error, text string) {
	t.Helper()
	must.Fail(t, err, kind, text, "error")
}

// A number that is not written is named with its place, in the matrix as it is given to
// factor, and nothing is written.
func TestValues(t *testing.T) {
	nan := math.NaN()
	for k, c := range []struct {
		data []float64
		s    Settings
		kind error
		text string
	}{
		{[]float64{7, 2, 3, 4, nan, 6}, Settings{}, ErrValue, "row 2, column 2 is NaN: a missing number"},
		{[]float64{7, 2, 3, 4, 5, math.Inf(1)}, Settings{Missing: true}, ErrValue, "row 2, column 3 is +Inf"},
		{[]float64{1, math.Inf(-1), 3, 4, 5, 6}, Settings{Missing: true}, ErrValue, "row 1, column 2 is -Inf"},
		{[]float64{1, 2, 1e300, 4, 5, 6}, Settings{Single: true}, matio.ErrPrecision, "row 1, column 3 is 1e+300, too large"},
		{[]float64{7, 2, 3, 4, -1e-60, 6}, Settings{Single: true}, matio.ErrPrecision, "row 2, column 2 is -1e-60, too small"},
	} {
		m := matiotest.New(2, 3, c.data)
		for i, f := range formats {
			if f.name == "single.npy" || f.name == "a.npz" || strings.HasSuffix(f.name, "/") || f.name == "coo.npz" ||
				strings.Contains(f.name, "mtx") || strings.ContainsAny(f.name, "vx") && c.data[4] != c.data[4] {
				continue // of float32, or without such numbers
			}
			for _, columns := range []bool{false, true} {
				if columns != ((i+k)%2 == 0) && os.Getenv("NMU_FULL") == "" {
					continue
				}
				dir := t.TempDir()
				path := f.put(t, dir, m)
				s := c.s
				s.Columns, s.Memory = columns, tiny
				_, err := ToNpy(context.Background(), filepath.Join(dir, "out.npy"), []Input{input(path, false)}, s)
				wantError(t, err, c.kind, path+": "+c.text)
				wantFiles(t, dir, f.name)
				_, err = ToCSR(context.Background(), filepath.Join(dir, "out"), []Input{input(path, false)}, s)
				wantError(t, err, c.kind, path+": "+c.text)
				wantFiles(t, dir, f.name)
			}
		}
	}
	// Rows of the second of two inputs count from its first.
	dir := t.TempDir()
	path := formats[0].put(t, dir, random(4, 3, 1))
	bad := formats[5].put(t, dir, matiotest.New(1, 3, []float64{1, nan, 2}))
	_, err := ToCSR(context.Background(), filepath.Join(dir, "out"), []Input{input(path, false), input(bad, false)}, Settings{Memory: tiny})
	wantError(t, err, ErrValue, bad+": row 1, column 2 is NaN")
	// A row of which float32 would keep nothing.
	lost := formats[5].put(t, dir, matiotest.New(2, 2, []float64{1, 0, 0, 1e-60}))
	for _, write := range []func(context.Context, string, []Input, Settings) (Summary, error){ToNpy, ToCSR} {
		_, err = write(context.Background(), filepath.Join(dir, "out"), []Input{input(lost, false)}, Settings{Memory: tiny, Single: true})
		wantError(t, err, matio.ErrPrecision, lost+": row 2 is not zero")
	}
	wantFiles(t, dir, "a.csv", "a.npy")
	// NaN may pass, and is no zero.
	path = formats[5].put(t, dir, matiotest.New(1, 3, []float64{0, nan, 2}))
	must.Get(ToCSR(context.Background(), filepath.Join(dir, "out"), []Input{input(path, false)}, Settings{Memory: tiny, Missing: true}))(t)
	if _, _, _, data := readNpy(t, filepath.Join(dir, "out", "data.npy")); len(data) != 2 || data[0] == data[0] || data[1] != 2 {
		t.Errorf("%v", data)
	}
}

// A file that is not what it claims to be is an error that names the place; what was
// there before stays.
func TestBadInputs(t *testing.T) {
	m := random(41, 23, 1)
	half := func(b []byte) []byte { return b[:len(b)/2] }
	lines := func(b []byte) []byte { return b[:bytes.LastIndexByte(half(b), '\n')+1] }
	alter := func(b []byte, old, new string) []byte {
		if !bytes.Contains(b, []byte(old)) {
			t.Fatalf("no %q", old)
		}
		return bytes.Replace(b, []byte(old), []byte(new), 1)
	}
	row, _, _ := triples(m)
	claim := fmt.Sprintf("41 23 %d\n", len(row))
	wrong := scipy("csr", m)
	wrong[300] ^= 1 // in data.npy, the first
	for _, c := range []struct {
		name    string
		content []byte
		kind    error
		text    string
	}{
		{"a.csv", alter(csvOf(m, false), "\n", ",1\n"), matio.ErrFormat, "line 2: 23 cells, but the first row has 24"},
		{"a.csv", append(csvOf(m, false), "1,2\n"...), matio.ErrFormat, "line 42: 2 cells"},
		{"a.csv", append(csvOf(m, false), strings.Repeat("x,", 22)+"1\n"...), matio.ErrText, "line 42: row 42, column 1"},
		{"a.csv", nil, matio.ErrUnsupported, "0 x 0 has no entries"},
		{"a.csv.gz", half(matiotest.Gz(csvOf(m, false))), matio.ErrFormat, "the data end too early"},
		{"a.npy", half(matiotest.NpyOf(m, "<f8", false)), matio.ErrFormat, "the header claims 943 elements"},
		{"a.npy", matiotest.NpyFile(1, "<f8", false, "(0, 5)", nil), matio.ErrUnsupported, "0 x 5 has no entries"},
		{"a.npy", matiotest.NpyFile(1, "<f8", false, "(1000000000, 0)", nil), matio.ErrUnsupported, "has no entries"},
		{"a.npz", half(zipped(map[string][]byte{"M.npy": matiotest.NpyOf(m, "<f8", false)})), matio.ErrFormat, ""},
		{"a.npz", wrong, matio.ErrFormat, ""},
		{"a.mtx", lines(coordinate(m)), matio.ErrFormat, fmt.Sprintf("of the %d entries that the size line claims", len(row))},
		{"a.mtx", alter(coordinate(m), claim, "41 23 1000000000000\n"), matio.ErrFormat, "of the 1000000000000 entries"},
		{"a.mtx", alter(coordinate(m), claim, "41 22 1\n"), matio.ErrFormat, "line 4: more than the 1 entries"},
		{"a.mtx", []byte("%%MatrixMarket matrix coordinate real general\n2000000000 2 1\n1 1 1\n"), matio.ErrTooLarge, ""},
		{"a.mtx", lines(mtxArray(m)), matio.ErrFormat, "of the 943 entries"},
		{"a.mtx", alter(mtxArray(m), "41 23", "20000 10000"), matio.ErrFormat, "the file ends after 943 of"},
	} {
		dir := t.TempDir()
		path := one(c.name, false, func(matiotest.Matrix) []byte { return c.content }).put(t, dir, m)
		for _, old := range []string{"", "mine"} {
			want := []string{c.name}
			out, folder := filepath.Join(dir, "out.npy"), filepath.Join(dir, "out")
			if old != "" {
				must.Do(t, errors.Join(os.Mkdir(folder, 0o777), os.WriteFile(out, []byte(old), 0o666), os.WriteFile(filepath.Join(folder, "data.npy"), []byte(old), 0o666)))
				want = []string{c.name, "out", "out.npy"}
			}
			for _, s := range []Settings{{Memory: tiny}, {Memory: tiny, Columns: true}} {
				_, err := ToNpy(context.Background(), out, []Input{input(path, false)}, s)
				wantError(t, err, c.kind, c.text)
				_, err = ToCSR(context.Background(), folder, []Input{input(path, false)}, s)
				wantError(t, err, c.kind, c.text)
			}
			wantFiles(t, dir, want...)
			if old == "" {
				continue
			}
			wantFiles(t, folder, "data.npy")
			for _, path := range []string{out, filepath.Join(folder, "data.npy")} {
				if b, err := os.ReadFile(path); string(b) != old {
					t.Errorf("%s: %q, %v", path, b, err)
				}
			}
		}
	}
	// A sparse matrix that is next to nothing is not made dense.
	dir := t.TempDir()
	path := one("a.mtx", true, func(matiotest.Matrix) []byte {
		return []byte("%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n")
	}).put(t, dir, m)
	_, err := ToNpy(context.Background(), filepath.Join(dir, "out.npy"), []Input{input(path, false)}, Settings{Memory: tiny})
	wantError(t, err, matio.ErrTooLarge, "is not made dense: choose a folder")
	wantFiles(t, dir, "a.mtx")
}

// Wherever a conversion is cancelled, nothing is written and nothing stays behind. NMU_FULL asks for both
// outputs of each format.
func TestCancelled(t *testing.T) {
	m := random(17, 11, 1)
	inputs := t.TempDir()
	for i, f := range formats {
		path := f.put(t, inputs, m)
		for k, write := range []func(context.Context, string, []Input, Settings) (Summary, error){ToNpy, ToCSR} {
			if (i+k)%2 != 0 && os.Getenv("NMU_FULL") == "" {
				continue // the next format has it
			}
			dir := t.TempDir()
			for asked := 0; ; asked += 1 + asked {
				_, err := write(matiotest.Countdown(asked), filepath.Join(dir, "out"), []Input{input(path, true), input(path, true)}, Settings{Memory: tiny, Columns: true})
				if err == nil {
					must.AtLeast(t, asked, 3, f.name, "asked")
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("%s: %v", f.name, err)
				}
				wantFiles(t, dir)
			}
		}
	}
}

// silent is a stream that delivers nothing until it is closed.
type silent chan struct{}

func (s silent) Read([]byte) (int, error) {
	<-s
	return 0, io.EOF
}

// A stream that delivers nothing is given up.
func TestSilentStream(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	stream := make(silent)
	defer close(stream)
	in := Input{Path: "stream", Open: func(spill *matio.Spill, turned bool, _ int64) (*matio.File, error) {
		cancel()
		return matio.OpenStream(stream, "stream", matio.Options{Spill: spill})
	}}
	_, err := ToNpy(ctx, filepath.Join(dir, "out.npy"), []Input{in}, Settings{Memory: tiny})
	wantError(t, err, context.Canceled, "")
	wantFiles(t, dir)
}
