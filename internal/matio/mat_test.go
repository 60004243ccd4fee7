package matio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/matio/internal/input"
)

// element writes a data element: type, size, data, padding to 8 bytes. Small data
// go into the tag if small is set.
func matPart(o binary.AppendByteOrder, small bool, kind uint32, data []byte) []byte {
	if small && len(data) > 0 && len(data) <= 4 {
		b := o.AppendUint32(nil, uint32(len(data))<<16|kind)
		return append(append(b, data...), make([]byte, 4-len(data))...)
	}
	b := o.AppendUint32(o.AppendUint32(nil, kind), uint32(len(data)))
	b = append(b, data...)
	return append(b, make([]byte, -len(data)&7)...)
}

func uint32s(o binary.AppendByteOrder, v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = o.AppendUint32(b, x)
	}
	return b
}

// matArrayElement writes an array: flags, dimensions, name, and parts.
func matArrayElement(o binary.AppendByteOrder, name string, flags [2]uint32, dims []uint32, parts ...[]byte) []byte {
	b := matPart(o, false, 6, uint32s(o, flags[0], flags[1]))
	b = append(b, matPart(o, false, 5, uint32s(o, dims...))...)
	b = append(b, matPart(o, true, 1, []byte(name))...)
	for _, p := range parts {
		b = append(b, p...)
	}
	return matPart(o, false, 14, b)
}

// matDense is a double matrix.
func matDense(o binary.AppendByteOrder, name string, m matrix) []byte {
	var b []byte
	for _, v := range m.transpose().data {
		b = o.AppendUint64(b, math.Float64bits(v))
	}
	return matArrayElement(o, name, [2]uint32{6, 0}, []uint32{uint32(m.rows), uint32(m.cols)}, matPart(o, false, 9, b))
}

// deflated packs elements into a compressed one.
func deflated(o binary.AppendByteOrder, e []byte) []byte {
	var buf bytes.Buffer
	w := zlib.NewWriter(&buf)
	w.Write(e)
	w.Close()
	return append(uint32s(o, 15, uint32(buf.Len())), buf.Bytes()...)
}

func matFile5(o binary.AppendByteOrder, elements ...[]byte) []byte {
	head := "MATLAB 5.0 MAT-file, written by a test"
	b := []byte(head + strings.Repeat(" ", 116-len(head)) + "\x00\x00\x00\x00\x00\x00\x00\x00")
	b = o.AppendUint16(b, 0x0100)
	b = o.AppendUint16(b, 'M'<<8|'I')
	for _, e := range elements {
		b = append(b, e...)
	}
	return b
}

func TestMatClasses(t *testing.T) {
	// The numbers of a class may be stored in any smaller type.
	for _, o := range []binary.AppendByteOrder{le, be} {
		mark := "<"
		if o == be {
			mark = ">"
		}
		for _, c := range []struct {
			class, kind uint32
			descr       string
		}{
			{6, 9, "f8"}, {6, 7, "f4"}, {6, 2, "u1"}, {6, 3, "i2"}, {7, 7, "f4"}, {7, 1, "i1"}, {8, 1, "i1"}, {9, 2, "u1"},
			{10, 3, "i2"}, {11, 4, "u2"}, {12, 5, "i4"}, {13, 6, "u4"}, {14, 12, "i8"}, {15, 13, "u8"}, {9 | 0x200, 2, "u1"},
		} {
			data := bytesOf(counts.transpose().data, mark+c.descr)
			e := matArrayElement(o, "X", [2]uint32{c.class, 0}, []uint32{2, 3}, matPart(o, true, c.kind, data))
			wantDense(t, write(t, "a.mat", matFile5(o, e)), "", counts)
			packed := write(t, "a.mat", matFile5(o, deflated(o, e)))
			wantDense(t, packed, "", counts)
			if f := open(t, packed, Options{}); f.Sparse() {
				t.Errorf("class %d: Sparse %v", c.class, f.Sparse())
			}
		}
		// Four bytes or fewer lie in the tag.
		e := matArrayElement(o, "small", [2]uint32{9, 0}, []uint32{1, 3}, matPart(o, true, 2, []byte{7, 8, 9}))
		wantDense(t, write(t, "a.mat", matFile5(o, e)), "", matrix{1, 3, []float64{7, 8, 9}})
		wantDense(t, write(t, "a.mat", matFile5(o, deflated(o, e))), "", matrix{1, 3, []float64{7, 8, 9}})
		empty := matArrayElement(o, "empty", [2]uint32{6, 0}, []uint32{0, 3}, matPart(o, true, 9, nil))
		wantDense(t, write(t, "a.mat", matFile5(o, empty)), "", matrix{0, 3, nil})
	}
}

func TestMatVariables(t *testing.T) {
	for _, pack := range []func([]byte) []byte{
		func(e []byte) []byte { return e },
		func(e []byte) []byte { return deflated(le, e) },
	} {
		dims := []uint32{1, 1}
		cell := pack(matArrayElement(le, "c", [2]uint32{1, 0}, dims, matPart(le, false, 14, nil)))
		complex := pack(matArrayElement(le, "z", [2]uint32{6 | 0x800, 0}, dims, matPart(le, false, 9, make([]byte, 8)), matPart(le, false, 9, make([]byte, 8))))
		cube := pack(matArrayElement(le, "cube", [2]uint32{9, 0}, []uint32{1, 2, 1}, matPart(le, true, 2, make([]byte, 2))))
		text := pack(matArrayElement(le, "text", [2]uint32{4, 0}, dims, matPart(le, true, 4, make([]byte, 2))))
		opaque := pack(matPart(le, false, 14, append(matPart(le, false, 6, uint32s(le, 17, 0)), matPart(le, true, 1, []byte("op"))...)))
		workspace := pack(matArrayElement(le, "", [2]uint32{9, 0}, dims, matPart(le, true, 2, make([]byte, 1))))
		unknown := matPart(le, false, 2, make([]byte, 5))
		x, y := pack(matDense(le, "x", quarters)), pack(matDense(le, "a_longer_name", counts))

		tiny := matPart(le, true, 2, make([]byte, 3))

		one := write(t, "a.mat", matFile5(le, cell, complex, unknown, tiny, x, cube, text, opaque, workspace))
		wantDense(t, one, "", quarters)
		wantDense(t, one, "x", quarters)
		wantError(t, one, Options{Var: "c"}, ErrUnsupported, "c (1 x 1 cell)")
		wantError(t, one, Options{Var: "z"}, ErrUnsupported, "complex double")
		wantError(t, one, Options{Var: "cube"}, ErrUnsupported, "1 x 2 x 1 uint8")
		wantError(t, one, Options{Var: "op"}, ErrUnsupported, "opaque")
		wantError(t, one, Options{Var: "X"}, ErrVar, "c (1 x 1 cell), z (1 x 1 complex double), x (2 x 3 double), cube")

		two := write(t, "a.mat", matFile5(le, x, text, y))
		wantDense(t, two, "a_longer_name", counts)
		wantError(t, two, Options{}, ErrVar, "x (2 x 3 double), a_longer_name (2 x 3 double)")
		wantError(t, write(t, "a.mat", matFile5(le, text)), Options{}, ErrVar, "text (1 x 1 char)")
		wantError(t, write(t, "a.mat", matFile5(le)), Options{}, ErrVar, "none")
		many := [][]byte{}
		for i := range 30 {
			many = append(many, pack(matDense(le, fmt.Sprint("v", i), quarters)))
		}
		wantError(t, write(t, "a.mat", matFile5(le, many...)), Options{}, ErrVar, "v19 (2 x 3 double), and 10 more")
	}
}

// matSparse is a sparse array of 2 x 3.
func matSparseElement(o binary.AppendByteOrder, flags [2]uint32, ir, jc []uint32, values []byte) []byte {
	return matArrayElement(o, "S", flags, []uint32{2, 3}, matPart(o, true, 5, uint32s(o, ir...)), matPart(o, true, 5, uint32s(o, jc...)), values)
}

func TestMatSparse(t *testing.T) {
	for _, o := range []binary.AppendByteOrder{le, be} {
		mark := "<"
		if o == be {
			mark = ">"
		}
		ir, jc := []uint32{1, 0, 1, 0, 1}, []uint32{0, 1, 3, 5}
		v := []float64{3, 1, 100, 2, 5}
		for _, e := range [][]byte{
			matSparseElement(o, [2]uint32{5, 5}, ir, jc, matPart(o, false, 9, bytesOf(v, mark+"f8"))),
			matSparseElement(o, [2]uint32{5, 5}, ir, jc, matPart(o, false, 2, bytesOf(v, mark+"u1"))),
			// Room for more than there is.
			matSparseElement(o, [2]uint32{5, 7}, append(ir[:5:5], 9, 9), jc, matPart(o, false, 9, bytesOf(append(v[:5:5], 7, 7), mark+"f8"))),
		} {
			wantSparse(t, write(t, "a.mat", matFile5(o, e)), "", counts)
			wantSparse(t, write(t, "a.mat", matFile5(o, deflated(o, e))), "", counts)
		}
		ones := matPart(o, true, 2, []byte{1, 1})
		for _, class := range []uint32{5 | 0x200, 9 | 0x200} { // the latter as Octave writes it
			e := matSparseElement(o, [2]uint32{class, 2}, []uint32{0, 1}, []uint32{0, 1, 1, 2}, ones)
			wantSparse(t, write(t, "a.mat", matFile5(o, e)), "", matrix{2, 3, []float64{1, 0, 0, 0, 0, 1}})
		}
		none := matSparseElement(o, [2]uint32{5, 1}, []uint32{0}, []uint32{0, 0, 0, 0}, matPart(o, false, 9, nil))
		wantSparse(t, write(t, "a.mat", matFile5(o, none)), "", matrix{2, 3, make([]float64, 6)})
	}
}

func TestMatErrors(t *testing.T) {
	x := matDense(le, "x", quarters)
	good := matFile5(le, x)
	packed := matFile5(le, deflated(le, x))
	head := string(good[:128])
	flags, dims := [2]uint32{6, 0}, []uint32{2, 3}
	data := matPart(le, false, 9, make([]byte, 48))
	flip := bytes.Clone(packed)
	flip[len(flip)-1] ^= 1 // the checksum
	body := x[8:]
	cut := func(n int) []byte { return matFile5(le, matPart(le, false, 14, body[:n])) }
	for _, c := range []struct {
		content  []byte
		sentinel error
		text     string
	}{
		{[]byte("\x89HDF\r\n\x1a\n and more"), ErrUnsupported, "save it with -v7"},
		{[]byte(strings.Repeat(" ", 512) + "\x89HDF\r\n\x1a\n"), ErrUnsupported, "save it with -v7"},
		{[]byte("MATLAB 7.3 MAT-file" + head[19:124] + "\x00\x02IM"), ErrUnsupported, "save it with -v7"},
		{[]byte(head[:124] + "\x00\x02IM"), ErrUnsupported, "save it with -v7"},
		{[]byte("\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00X\x00"), ErrUnsupported, "version 4"},
		{[]byte("# Created by Octave 7.3.0"), ErrUnsupported, "Octave"},
		{[]byte(strings.Repeat("x", 200)), ErrFormat, "byte 126"},
		{good[:100], ErrFormat, "128 bytes"},
		{good[:132], ErrFormat, "tag of an element"},
		{good[:len(good)-1], ErrFormat, "are left"},
		{packed[:len(packed)-5], ErrFormat, "are left"},
		{flip, ErrFormat, "checksum"},
		{cut(4), ErrFormat, "too early"},
		{cut(12), ErrFormat, "claims 8 bytes"},
		{cut(24), ErrFormat, "claims 8 bytes"},
		{cut(32), ErrFormat, "too early"},
		{cut(40), ErrFormat, "too early"},
		{cut(64), ErrFormat, "claims 48 bytes"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{2, 1 << 31}, data)), ErrFormat, "dimension -2147483648"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{2}, data)), ErrFormat, "1 dimensions"},
		{matFile5(le, matArrayElement(le, "x", flags, make([]uint32, 65), data)), ErrFormat, "260 bytes"},
		{matFile5(le, matArrayElement(le, strings.Repeat("x", 5000), flags, dims, data)), ErrFormat, "5000 bytes"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{2, 4}, data)), ErrFormat, "48 bytes of data"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{1 << 15, 1 << 15}, data)), ErrFormat, "48 bytes of data"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{1, 2}, matPart(le, true, 16, make([]byte, 2)))), ErrFormat, "no numbers"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{1, 2}, matPart(le, true, 9, make([]byte, 9)))), ErrFormat, "multiple"},
		{matFile5(le, matArrayElement(le, "x", flags, []uint32{1, 2}, uint32s(le, 7<<16|2, 0))), ErrFormat, "7 bytes of data in a tag"},
		{matFile5(le, matPart(le, false, 14, matPart(le, false, 6, uint32s(le, 6)))), ErrFormat, "flags"},
		{matFile5(le, matPart(le, false, 14, matPart(le, false, 5, uint32s(le, 6, 0)))), ErrFormat, "flags"},
		{matFile5(le, uint32s(le, 15, 4), []byte("none")), ErrFormat, "zlib"},
		{matFile5(le, deflated(le, matPart(le, false, 9, nil))), ErrFormat, "type 9"},
		{matFile5(le, deflated(le, uint32s(le, 14, 1<<31))), ErrFormat, "cannot give"},
		{matFile5(le, deflated(le, append(uint32s(le, 14, 1<<13), body...))), ErrFormat, ""},
	} {
		if c.text == "" { // claims more than it has, but what is needed is there
			if err := readAll(write(t, "a.mat", c.content), Options{}); err != nil {
				t.Error(err)
			}
			continue
		}
		wantError(t, write(t, "bad.mat", c.content), Options{}, c.sentinel, c.text)
	}
}

func TestMatSparseErrors(t *testing.T) {
	two := matPart(le, false, 9, make([]byte, 16))
	for _, c := range []struct {
		ir, jc []uint32
		values []byte
		text   string
	}{
		{[]uint32{0, 2}, []uint32{0, 1, 1, 2}, two, "ir[1]"},
		{[]uint32{0, 1 << 31}, []uint32{0, 1, 1, 2}, two, "ir[1]"},
		{[]uint32{0, 1}, []uint32{0, 1, 2}, two, "3 column pointers"},
		{[]uint32{0, 1}, []uint32{1, 1, 1, 2}, two, "jc[0] = 1"},
		{[]uint32{0, 1}, []uint32{0, 2, 1, 2}, two, "jc[2] = 1 is less"},
		{[]uint32{0, 1}, []uint32{0, 1, 1, 3}, two, "jc[3] = 3"},
		{[]uint32{0, 1}, []uint32{0, 1, 1 << 31, 2}, two, "jc[2] = -2147483648"},
		{[]uint32{0, 1}, []uint32{0, 1, 1, 2}, matPart(le, false, 9, make([]byte, 8)), "1 values for 2"},
		{[]uint32{0, 1}, []uint32{0, 1, 1, 2}, nil, "too early"},
	} {
		e := matSparseElement(le, [2]uint32{5, 2}, c.ir, c.jc, c.values)
		wantError(t, write(t, "bad.mat", matFile5(le, e)), Options{}, ErrFormat, c.text)
		wantError(t, write(t, "bad.mat", matFile5(le, deflated(le, e))), Options{}, ErrFormat, c.text)
	}
	floats := matArrayElement(le, "S", [2]uint32{5, 2}, []uint32{2, 3}, matPart(le, false, 7, make([]byte, 8)))
	wantError(t, write(t, "bad.mat", matFile5(le, floats)), Options{}, ErrFormat, "float32")
}

// Long names that deflate to next to nothing take no memory.
func TestMatNames(t *testing.T) {
	const n = 3000
	one := deflated(le, matArrayElement(le, strings.Repeat("x", 4096), [2]uint32{6, 0}, []uint32{1, 1}, uint32s(le, 9, 0)))
	path := write(t, "a.mat", matFile5(le, bytes.Repeat(one, n)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := readAll(path, Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	checkError(t, err, ErrVar, "and 2980 more")
	if peak := int64(after.HeapSys) - int64(before.HeapSys); peak > 8<<20 || len(err.Error()) > input.MostListed*4200 {
		t.Errorf("%d bytes of heap, a message of %d bytes", peak, len(err.Error()))
	}
}
