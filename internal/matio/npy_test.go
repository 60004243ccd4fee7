package matio

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

var (
	le binary.AppendByteOrder = binary.LittleEndian
	be binary.AppendByteOrder = binary.BigEndian
)

// bytesOf writes v as numbers of a NumPy type such as "<f8".
func bytesOf(v []float64, descr string) []byte {
	order := le
	if descr[0] == '>' {
		order = be
	}
	var b []byte
	for _, x := range v {
		switch descr[1:] {
		case "f8":
			b = order.AppendUint64(b, math.Float64bits(x))
		case "f4":
			b = order.AppendUint32(b, math.Float32bits(float32(x)))
		case "i8", "u8":
			b = order.AppendUint64(b, uint64(int64(x)))
		case "i4", "u4":
			b = order.AppendUint32(b, uint32(int64(x)))
		case "i2", "u2":
			b = order.AppendUint16(b, uint16(int64(x)))
		case "i1", "u1", "b1":
			b = append(b, byte(int64(x)))
		default:
			panic(descr)
		}
	}
	return b
}

// npyDict writes a .npy file with this text as header.
func npyDict(version byte, dict string, data []byte) []byte {
	b := []byte("\x93NUMPY")
	b = append(b, version, 0)
	if version == 1 {
		b = le.AppendUint16(b, uint16(len(dict)))
	} else {
		b = le.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), data...)
}

func npyFile(version byte, descr string, fortran bool, shape string, data []byte) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	return npyDict(version, fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", descr, order, shape), data)
}

func TestNpyTypes(t *testing.T) {
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f4", "<i8", ">i8", "<i4", ">i4", "<i2", ">i2",
		"<u8", ">u8", "<u4", ">u4", "<u2", ">u2", "|i1", "|u1", "<u1"} {
		for version := byte(1); version <= 3; version++ {
			path := write(t, "a.npy", npyFile(version, descr, false, "(2, 3)", bytesOf(counts.data, descr)))
			wantDense(t, path, "", counts)
			f := open(t, path, Options{})
			if f.Sparse() {
				t.Errorf("%s: Sparse %v", descr, f.Sparse())
			}
			path = write(t, "f.npy", npyFile(version, descr, true, "(2, 3)", bytesOf(counts.transpose().data, descr)))
			wantDense(t, path, "", counts)
		}
	}
	wantDense(t, write(t, "b.npy", npyFile(1, "|b1", false, "(1, 3)", []byte{1, 0, 1})), "", matrix{1, 3, []float64{1, 0, 1}})
	wantDense(t, write(t, "i.npy", npyFile(1, "|i1", false, "(1, 2)", []byte{0xff, 0x80})), "", matrix{1, 2, []float64{-1, -128}})
	wantDense(t, write(t, "i.npy", npyFile(1, ">i2", false, "(1, 2)", []byte{0xff, 0xfe, 1, 0})), "", matrix{1, 2, []float64{-2, 256}})
	// Ties go to even: 2^53 + 1 down, 2^53 + 3 up. The largest uint64 becomes 2^64.
	big := le.AppendUint64(le.AppendUint64(nil, 1<<53+1), 1<<53+3)
	wantDense(t, write(t, "l.npy", npyFile(1, "<i8", false, "(1, 2)", big)), "", matrix{1, 2, []float64{1 << 53, 1<<53 + 4}})
	wantDense(t, write(t, "l.npy", npyFile(1, "<u8", false, "(1, 1)", le.AppendUint64(nil, math.MaxUint64))), "", matrix{1, 1, []float64{1 << 64}})
}

func TestNpyShapes(t *testing.T) {
	data := bytesOf(quarters.data, "<f8")
	column := matrix{6, 1, quarters.data}
	wantDense(t, write(t, "a.npy", npyFile(1, "<f8", false, "(6,)", data)), "", column)
	wantDense(t, write(t, "a.npy", npyFile(1, "<f8", true, "(6,)", data)), "", column)
	wantDense(t, write(t, "a.npy", npyFile(1, "<f8", false, "(2L, 3L)", data)), "", quarters)
	wantDense(t, write(t, "a.npy", npyFile(1, "<f8", false, "(0, 3)", nil)), "", matrix{0, 3, nil})
	wantDense(t, write(t, "a.npy", npyFile(1, "<f8", true, "(1000000, 0)", nil)), "", matrix{1000000, 0, nil})
	dict := `{"shape":(2,3),"fortran_order":False,"descr":"<f8"}`
	wantDense(t, write(t, "a.npy", npyDict(2, dict, data)), "", quarters)
}

func TestNpyErrors(t *testing.T) {
	data := bytesOf(quarters.data, "<f8")
	good := npyFile(1, "<f8", false, "(2, 3)", data)
	for _, c := range []struct {
		content  []byte
		sentinel error
		text     string
	}{
		{good[:8], ErrFormat, "too early"},
		{good[:20], ErrFormat, "claims a length"},
		{good[:len(good)-1], ErrFormat, "47 bytes follow"},
		{append(good[:len(good):len(good)], 0), ErrFormat, "49 bytes follow"},
		{npyFile(4, "<f8", false, "(2, 3)", data), ErrUnsupported, "version 4.0"},
		{npyFile(2, "<f8", false, "(2, 3)", data)[:11], ErrFormat, "too early"},
		{npyFile(1, "<f2", false, "(2, 3)", data[:12]), ErrUnsupported, "half precision"},
		{npyFile(1, "<c16", false, "(1, 3)", data), ErrUnsupported, "complex"},
		{npyFile(1, "|O", false, "(2, 3)", data), ErrUnsupported, "|O"},
		{npyFile(1, "<U2", false, "(2, 3)", data), ErrUnsupported, "<U2"},
		{npyFile(1, "<f16", false, "(1, 3)", data), ErrUnsupported, "<f16"},
		{npyFile(1, "|f8", false, "(2, 3)", data), ErrFormat, "order of its bytes"},
		{npyFile(1, "<", false, "(2, 3)", data), ErrFormat, `"<"`},
		{npyFile(1, "<f8", false, "()", data[:8]), ErrUnsupported, "0 dimensions"},
		{npyFile(1, "<f8", false, "(1, 2, 3)", data), ErrUnsupported, "3 dimensions"},
		{npyFile(1, "<f8", false, "(-2, 3)", data), ErrFormat, `"-2"`},
		{npyFile(1, "<f8", false, "(2, x)", data), ErrFormat, "not a size"},
		{npyFile(1, "<f8", false, "(2 3)", data), ErrFormat, "')'"},
		{npyFile(1, "<f8", false, "(2, 99999999999999999999)", data), ErrFormat, "not a size"},
		{npyFile(1, "<f8", false, "(3037000500, 3037000500)", data), ErrTooLarge, "3037000500 x 3037000500"},
		{npyFile(1, "<f8", false, "(1, 2305843009213693952)", data), nil, "2305843009213693952"},
		{npyFile(1, "|u1", false, "(1000000, 1000000000)", data), nil, "1000000000"},
		{npyDict(1, "{'descr': '<f8', 'shape': (2, 3)}", data), ErrFormat, `no "fortran_order"`},
		{npyDict(1, "{'descr': '<f8', 'descr': '<f8', }", data), ErrFormat, "twice"},
		{npyDict(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}", data), ErrUnsupported, "records"},
		{npyDict(1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}", data), ErrFormat, "True or False"},
		{npyDict(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x", data), ErrFormat, "after the dictionary"},
		{npyDict(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", data), ErrFormat, `"x"`},
		{npyDict(1, "{'descr': '<f8", data), ErrFormat, "without end"},
		{npyDict(1, "{'descr' '<f8'}", data), ErrFormat, "':'"},
		{npyDict(1, "{7: 8}", data), ErrFormat, "want a string"},
		{npyDict(1, "[]", data), ErrFormat, "'{'"},
		{npyDict(1, "", data), ErrFormat, "'{'"},
		{npyDict(3, strings.Repeat(" ", 1<<17), data), ErrFormat, "claims a length"},
	} {
		if c.sentinel == nil {
			c.sentinel = tooMany()
		}
		wantError(t, write(t, "bad.npy", c.content), Options{}, c.sentinel, c.text)
	}
}

func TestNpyRoundTrip(t *testing.T) {
	roundTrip[float32](t)
	roundTrip[float64](t)
}

func roundTrip[T Float](t *testing.T) {
	const stride = 20000
	data := make([]T, 3*stride)
	for i := range data {
		data[i] = T(i) / 7
	}
	data[1] = T(math.Inf(1))
	for _, size := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {3, 7}, {2, input.Chunk}, {3, input.Chunk + 1}, {3, stride}} {
		rows, cols := size[0], size[1]
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := WriteNpy(path, rows, cols, data, stride); err != nil {
			t.Fatal(err)
		}
		f := open(t, path, Options{})
		r, c, got, err := Dense[T](f)
		if err != nil || r != rows || c != cols || len(got) != rows*cols {
			t.Fatalf("%v: Dense = %d x %d, %d elements, %v", size, r, c, len(got), err)
		}
		if want := map[bool]int{true: 4, false: 8}[unsafe.Sizeof(data[0]) == 4]; f.in.Plain.Type.Size != want {
			t.Errorf("%d bytes for an element of %T", f.in.Plain.Type.Size, data)
		}
		for i := range rows {
			for j := range cols {
				if got[i*cols+j] != data[i*stride+j] {
					t.Fatalf("%v: element %d, %d is %v, want %v", size, i, j, got[i*cols+j], data[i*stride+j])
				}
			}
		}
	}
}

// The header is what the format's description asks for, byte by byte.
func TestWriteNpyHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := WriteNpy(path, 2, 1, []float32{1, 2, 3}, 2); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dict := "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 128-10-1-len(dict)) + "\n" + "\x00\x00\x80\x3f\x00\x00\x40\x40"
	if string(got) != want {
		t.Errorf("file %q, want %q", got, want)
	}
}

func TestWriteNpyErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, c := range []struct{ rows, cols, n, stride int }{
		{-1, 2, 4, 2}, {1, -2, 4, 2}, {2, 2, 4, 1}, {2, 2, 3, 2}, {3, 2, 5, 2}, {math.MaxInt, 2, 5, math.MaxInt}, {1, 2, 1, 2},
	} {
		if err := WriteNpy(path, c.rows, c.cols, make([]float64, c.n), c.stride); err == nil {
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

func streamed[T Float](t *testing.T) {
	const rows, cols = 5, input.Chunk/2 + 3
	data := make([]T, rows*cols)
	for i := range data {
		data[i] = T(i%1013*(i%1013)%1013) / 7
	}
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole.npy"), filepath.Join(dir, "stream.npy")
	if err := WriteNpy(whole, rows, cols, data, cols); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []T, length int, end error) error {
		return StreamNpy(path, rows, cols, func(do func(numbers []T) error) error {
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
		"no matrix":   StreamNpy(path, -1, 2, none),
		"no such one": StreamNpy(path, math.MaxInt, 3, none),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
	for _, length := range []int{1, 100, cols, input.Chunk + 1, len(data)} {
		if err := write(data, length, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("pieces of %d make another file, %v", length, err)
		}
	}
}

// A large file of the right form is mapped: what it returns is the file, so a
// change of the file shows.
func TestMapped(t *testing.T) {
	mappedAs[float32](t)
	mappedAs[float64](t)
}

func mappedAs[T Float](t *testing.T) {
	rows, cols := 512, 1025
	data := make([]T, rows*cols)
	for i := range data {
		data[i] = T(i % 1001)
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := WriteNpy(path, rows, cols, data, cols); err != nil {
		t.Fatal(err)
	}
	f := open(t, path, Options{})
	for range 2 {
		_, _, got, err := Dense[T](f)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if v != data[i] {
				t.Fatalf("element %d is %v, want %v", i, v, data[i])
			}
		}
		if f.mapping == nil {
			if _, err := mapFile(f.in.Handle, int(f.in.Size)); err == nil && !element.HostBigEndian {
				t.Fatal("the file is not mapped")
			}
			t.Log("this system does not map files")
		} else if unsafe.Pointer(&got[0]) != unsafe.Pointer(&f.mapping[f.in.Plain.Offset]) {
			t.Error("the data are not the mapping")
		}
	}
	// The transpose, and the other precision, are copies.
	f = open(t, path, Options{Transpose: true})
	_, _, turned, err := Dense[T](f)
	if err != nil || f.mapping != nil {
		t.Fatalf("transposed: %v, mapped %v", err, f.mapping != nil)
	}
	for i := range rows {
		for j := range cols {
			if turned[j*rows+i] != data[i*cols+j] {
				t.Fatalf("transposed element %d, %d is %v, want %v", j, i, turned[j*rows+i], data[i*cols+j])
			}
		}
	}
}
