package npy_test

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

func TestNpyTypes(t *testing.T) {
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f4", "<i8", ">i8", "<i4", ">i4", "<i2", ">i2",
		"<u8", ">u8", "<u4", ">u4", "<u2", ">u2", "|i1", "|u1", "<u1"} {
		for version := byte(1); version <= 3; version++ {
			path := matiotest.Write(t, "a.npy", matiotest.NpyFile(version, descr, false, "(2, 3)", matiotest.BytesOf(matiotest.Counts.Data, descr)))
			matiotest.WantDense(t, path, "", matiotest.Counts)
			f := matiotest.Open(t, path, matio.Options{})
			if f.Sparse() {
				t.Errorf("%s: Sparse %v", descr, f.Sparse())
			}
			path = matiotest.Write(t, "f.npy", matiotest.NpyFile(version, descr, true, "(2, 3)", matiotest.BytesOf(matiotest.Counts.Transpose().Data, descr)))
			matiotest.WantDense(t, path, "", matiotest.Counts)
		}
	}
	matiotest.WantDense(t, matiotest.Write(t, "b.npy", matiotest.NpyFile(1, "|b1", false, "(1, 3)", []byte{1, 0, 1})), "", matiotest.New(1, 3, []float64{1, 0, 1}))
	matiotest.WantDense(t, matiotest.Write(t, "i.npy", matiotest.NpyFile(1, "|i1", false, "(1, 2)", []byte{0xff, 0x80})), "", matiotest.New(1, 2, []float64{-1, -128}))
	matiotest.WantDense(t, matiotest.Write(t, "i.npy", matiotest.NpyFile(1, ">i2", false, "(1, 2)", []byte{0xff, 0xfe, 1, 0})), "", matiotest.New(1, 2, []float64{-2, 256}))
	// Ties go to even: 2^53 + 1 down, 2^53 + 3 up. The largest uint64 becomes 2^64.
	big := matiotest.LE.AppendUint64(matiotest.LE.AppendUint64(nil, 1<<53+1), 1<<53+3)
	matiotest.WantDense(t, matiotest.Write(t, "l.npy", matiotest.NpyFile(1, "<i8", false, "(1, 2)", big)), "", matiotest.New(1, 2, []float64{1 << 53, 1<<53 + 4}))
	matiotest.WantDense(t, matiotest.Write(t, "l.npy", matiotest.NpyFile(1, "<u8", false, "(1, 1)", matiotest.LE.AppendUint64(nil, math.MaxUint64))), "", matiotest.New(1, 1, []float64{1 << 64}))
}

func TestNpyShapes(t *testing.T) {
	data := matiotest.BytesOf(matiotest.Quarters.Data, "<f8")
	column := matiotest.New(6, 1, matiotest.Quarters.Data)
	matiotest.WantDense(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", false, "(6,)", data)), "", column)
	matiotest.WantDense(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", true, "(6,)", data)), "", column)
	matiotest.WantDense(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", false, "(2L, 3L)", data)), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", false, "(0, 3)", nil)), "", matiotest.New(0, 3, nil))
	matiotest.WantDense(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", true, "(1000000, 0)", nil)), "", matiotest.New(1000000, 0, nil))
	dict := `{"shape":(2,3),"fortran_order":False,"descr":"<f8"}`
	matiotest.WantDense(t, matiotest.Write(t, "a.npy", matiotest.NpyDict(2, dict, data)), "", matiotest.Quarters)
}

func TestNpyErrors(t *testing.T) {
	data := matiotest.BytesOf(matiotest.Quarters.Data, "<f8")
	good := matiotest.NpyFile(1, "<f8", false, "(2, 3)", data)
	for _, c := range []struct {
		content  []byte
		sentinel error
		text     string
	}{
		{good[:8], matio.ErrFormat, "too early"},
		{good[:20], matio.ErrFormat, "claims a length"},
		{good[:len(good)-1], matio.ErrFormat, "47 bytes follow"},
		{append(good[:len(good):len(good)], 0), matio.ErrFormat, "49 bytes follow"},
		{matiotest.NpyFile(4, "<f8", false, "(2, 3)", data), matio.ErrUnsupported, "version 4.0"},
		{matiotest.NpyFile(2, "<f8", false, "(2, 3)", data)[:11], matio.ErrFormat, "too early"},
		{matiotest.NpyFile(1, "<c16", false, "(1, 3)", data), matio.ErrUnsupported, "complex"},
		{matiotest.NpyFile(1, "|O", false, "(2, 3)", data), matio.ErrUnsupported, "|O"},
		{matiotest.NpyFile(1, "<U2", false, "(2, 3)", data), matio.ErrUnsupported, "<U2"},
		{matiotest.NpyFile(1, "<f16", false, "(1, 3)", data), matio.ErrUnsupported, "<f16"},
		{matiotest.NpyFile(1, "|f8", false, "(2, 3)", data), matio.ErrFormat, `'|f8'`},
		{matiotest.NpyFile(1, "<", false, "(2, 3)", data), matio.ErrFormat, `'<'`},
		{matiotest.NpyFile(1, "<f8", false, "()", data[:8]), matio.ErrUnsupported, "0 dimensions"},
		{matiotest.NpyFile(1, "<f8", false, "(1, 1, 2, 3)", data), matio.ErrUnsupported, "4 dimensions"},
		{matiotest.NpyFile(1, "<f8", false, "(2, 2, 3)", data), matio.ErrFormat, "claims 12 elements"},
		{matiotest.NpyFile(1, "<f8", true, "(2, 2, 3)", data), matio.ErrFormat, "claims 12 elements"},
		{matiotest.NpyFile(1, "<f8", true, "(3037000500, 3037000500, 3)", data), matio.ErrTooLarge, "3037000500 x 3037000500"},
		{matiotest.NpyFile(1, "|u1", true, "(1000000, 1000000000, 1000000000)", data), matio.ErrTooLarge, "1000000000"},
		{matiotest.NpyFile(1, "<f8", false, "(-2, 3)", data), matio.ErrFormat, "(-2, 3)"},
		{matiotest.NpyFile(1, "<f8", false, "(2, x)", data), matio.ErrFormat, "(2, x)"},
		{matiotest.NpyFile(1, "<f8", false, "(2 3)", data), matio.ErrFormat, "(2 3)"},
		{matiotest.NpyFile(1, "<f8", false, "(2, 99999999999999999999)", data), matio.ErrFormat, "header"},
		{matiotest.NpyFile(1, "<f8", false, "(3037000500, 3037000500)", data), matio.ErrTooLarge, "3037000500 x 3037000500"},
		{matiotest.NpyFile(1, "<f8", false, "(1, 2305843009213693952)", data), nil, "2305843009213693952"},
		{matiotest.NpyFile(1, "|u1", false, "(1000000, 1000000000)", data), nil, "1000000000"},
		{matiotest.NpyDict(1, "{'descr': '<f8', 'shape': (2, 3)}", data), matio.ErrFormat, "byte 10: header"},
		{matiotest.NpyDict(1, "{'descr': '<f8', 'descr': '<f8', }", data), matio.ErrFormat, "want one like {"},
		{matiotest.NpyDict(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}", data), matio.ErrUnsupported, "records"},
		{matiotest.NpyDict(1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "{'descr': '<f8", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "{'descr' '<f8'}", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "{7: 8}", data), matio.ErrFormat, "header"},
		{matiotest.NpyFile(1, "<f8", false, "(2,,3)", data), matio.ErrFormat, "(2,,3)"},
		{matiotest.NpyDict(1, "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "{'descr': True, 'fortran_order': False, 'shape': (2, 3)}", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "[]", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(1, "", data), matio.ErrFormat, "header"},
		{matiotest.NpyDict(3, strings.Repeat(" ", 1<<17), data), matio.ErrFormat, "claims a length"},
	} {
		if c.sentinel == nil {
			c.sentinel = matiotest.TooMany()
		}
		matiotest.WantError(t, matiotest.Write(t, "bad.npy", c.content), matio.Options{}, c.sentinel, c.text)
	}
}

// The header is what the format's description asks for, byte by byte.
func TestWriteNpyHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	must.Do(t, matiotest.WriteNpy(path, 2, 1, []float32{1, 2, 3}, 2))
	got := must.Get(os.ReadFile(path))(t)
	dict := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 128-10-1-len(dict)) + "\n" + "\x00\x00\x80\x3f\x00\x00\x40\x40"
	must.Equal(t, string(got), want, "file", got)
}

func TestWriteNpyErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, c := range []struct{ rows, cols, n, stride int }{
		{-1, 2, 4, 2}, {1, -2, 4, 2}, {2, 2, 4, 1}, {2, 2, 3, 2}, {3, 2, 5, 2}, {math.MaxInt, 2, 5, math.MaxInt}, {1, 2, 1, 2},
	} {
		if err := matiotest.WriteNpy(path, c.rows, c.cols, make([]float64, c.n), c.stride); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
}

// Numbers that come in pieces, of whatever length, make the file that they make at once;
// if there are too few of them, or too many, or no more come, they make none.
func TestStreamNpy(t *testing.T) {
	streamed[float32](t)
	streamed[float64](t)
}

func streamed[T matio.Float](t *testing.T) {
	const rows, cols = 5, input.Chunk/2 + 3
	data := make([]T, rows*cols)
	for i := range data {
		data[i] = T(i%1013*(i%1013)%1013) / 7
	}
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole.npy"), filepath.Join(dir, "stream.npy")
	must.Do(t, matiotest.WriteNpy(whole, rows, cols, data, cols))
	want := must.Get(os.ReadFile(whole))(t)
	stream := func(rows, cols int, each func(do func(numbers []T) error) error) error {
		return matio.WriteFile(path, func(w io.Writer) error { return matio.StreamNpy(w, rows, cols, each) })
	}
	write := func(data []T, length int, end error) error {
		return stream(rows, cols, func(do func(numbers []T) error) error {
			for rest := data; len(rest) > 0; {
				n := min(length, len(rest))
				if err := do(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return end
		})
	}
	none := func(func([]T) error) error { return nil }
	for name, err := range map[string]error{
		"too few":     write(data[1:], 100, nil),
		"too many":    write(append(data, 1), 100, nil),
		"no more":     write(data, 100, os.ErrClosed),
		"no matrix":   stream(-1, 2, none),
		"no such one": stream(math.MaxInt, 3, none),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
	for _, length := range []int{1, 100, cols, input.Chunk + 1, len(data)} {
		must.Do(t, write(data, length, nil))
		must.Equal(t, string(must.Get(os.ReadFile(path))(t)), string(want), "pieces of", length, "make another file")
	}
}
