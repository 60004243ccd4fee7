package mat_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/matiotest"
)

func TestMatClasses(t *testing.T) {
	// The numbers of a class may be stored in any smaller type.
	for _, o := range []binary.AppendByteOrder{matiotest.LE, matiotest.BE} {
		mark := "<"
		if o == matiotest.BE {
			mark = ">"
		}
		for _, c := range []struct {
			class, kind uint32
			descr       string
		}{
			{6, 9, "f8"}, {6, 7, "f4"}, {6, 2, "u1"}, {6, 3, "i2"}, {7, 7, "f4"}, {7, 1, "i1"}, {8, 1, "i1"}, {9, 2, "u1"},
			{10, 3, "i2"}, {11, 4, "u2"}, {12, 5, "i4"}, {13, 6, "u4"}, {14, 12, "i8"}, {15, 13, "u8"}, {9 | 0x200, 2, "u1"},
		} {
			data := matiotest.BytesOf(matiotest.Counts.Transpose().Data, mark+c.descr)
			e := matiotest.MatArrayElement(o, "X", [2]uint32{c.class, 0}, []uint32{2, 3}, matiotest.MatPart(o, true, c.kind, data))
			matiotest.WantDense(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, e)), "", matiotest.Counts)
			packed := matiotest.Write(t, "a.mat", matiotest.MatFile5(o, matiotest.Deflated(o, e)))
			matiotest.WantDense(t, packed, "", matiotest.Counts)
			if f := matiotest.Open(t, packed, matio.Options{}); f.Sparse() {
				t.Errorf("class %d: Sparse %v", c.class, f.Sparse())
			}
		}
		// Four bytes or fewer lie in the tag.
		e := matiotest.MatArrayElement(o, "small", [2]uint32{9, 0}, []uint32{1, 3}, matiotest.MatPart(o, true, 2, []byte{7, 8, 9}))
		matiotest.WantDense(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, e)), "", matiotest.New(1, 3, []float64{7, 8, 9}))
		matiotest.WantDense(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, matiotest.Deflated(o, e))), "", matiotest.New(1, 3, []float64{7, 8, 9}))
		empty := matiotest.MatArrayElement(o, "empty", [2]uint32{6, 0}, []uint32{0, 3}, matiotest.MatPart(o, true, 9, nil))
		matiotest.WantDense(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, empty)), "", matiotest.New(0, 3, nil))
	}
}

func TestMatVariables(t *testing.T) {
	for _, pack := range []func([]byte) []byte{
		func(e []byte) []byte { return e },
		func(e []byte) []byte { return matiotest.Deflated(matiotest.LE, e) },
	} {
		dims := []uint32{1, 1}
		cell := pack(matiotest.MatArrayElement(matiotest.LE, "c", [2]uint32{1, 0}, dims, matiotest.MatPart(matiotest.LE, false, 14, nil)))
		complex := pack(matiotest.MatArrayElement(matiotest.LE, "z", [2]uint32{6 | 0x800, 0}, dims, matiotest.MatPart(matiotest.LE, false, 9, make([]byte, 8)), matiotest.MatPart(matiotest.LE, false, 9, make([]byte, 8))))
		cube := pack(matiotest.MatArrayElement(matiotest.LE, "cube", [2]uint32{9, 0}, []uint32{1, 2, 1, 1}, matiotest.MatPart(matiotest.LE, true, 2, make([]byte, 2))))
		text := pack(matiotest.MatArrayElement(matiotest.LE, "text", [2]uint32{4, 0}, dims, matiotest.MatPart(matiotest.LE, true, 4, make([]byte, 2))))
		opaque := pack(matiotest.MatPart(matiotest.LE, false, 14, append(matiotest.MatPart(matiotest.LE, false, 6, matiotest.Uint32s(matiotest.LE, 17, 0)), matiotest.MatPart(matiotest.LE, true, 1, []byte("op"))...)))
		workspace := pack(matiotest.MatArrayElement(matiotest.LE, "", [2]uint32{9, 0}, dims, matiotest.MatPart(matiotest.LE, true, 2, make([]byte, 1))))
		unknown := matiotest.MatPart(matiotest.LE, false, 2, make([]byte, 5))
		x, y := pack(matiotest.MatDense(matiotest.LE, "x", matiotest.Quarters)), pack(matiotest.MatDense(matiotest.LE, "a_longer_name", matiotest.Counts))

		tiny := matiotest.MatPart(matiotest.LE, true, 2, make([]byte, 3))

		one := matiotest.Write(t, "a.mat", matiotest.MatFile5(matiotest.LE, cell, complex, unknown, tiny, x, cube, text, opaque, workspace))
		matiotest.WantDense(t, one, "", matiotest.Quarters)
		matiotest.WantDense(t, one, "x", matiotest.Quarters)
		matiotest.WantError(t, one, matio.Options{Var: "c"}, matio.ErrUnsupported, "c (1 x 1 cell)")
		matiotest.WantError(t, one, matio.Options{Var: "z"}, matio.ErrUnsupported, "complex double")
		matiotest.WantError(t, one, matio.Options{Var: "cube"}, matio.ErrUnsupported, "1 x 2 x 1 x 1 uint8")
		matiotest.WantError(t, one, matio.Options{Var: "op"}, matio.ErrUnsupported, "opaque")
		matiotest.WantError(t, one, matio.Options{Var: "X"}, matio.ErrVar, "c (1 x 1 cell), z (1 x 1 complex double), x (2 x 3 double), cube")

		two := matiotest.Write(t, "a.mat", matiotest.MatFile5(matiotest.LE, x, text, y))
		matiotest.WantDense(t, two, "a_longer_name", matiotest.Counts)
		matiotest.WantError(t, two, matio.Options{}, matio.ErrVar, "a.mat holds several matrices; choose one: x (2 x 3 double), a_longer_name (2 x 3 double)")
		matiotest.WantError(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(matiotest.LE, text)), matio.Options{}, matio.ErrVar, "text (1 x 1 char)")
		matiotest.WantError(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(matiotest.LE)), matio.Options{}, matio.ErrVar, "none")
		many := [][]byte{}
		for i := range 30 {
			many = append(many, pack(matiotest.MatDense(matiotest.LE, fmt.Sprint("v", i), matiotest.Quarters)))
		}
		matiotest.WantError(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(matiotest.LE, many...)), matio.Options{}, matio.ErrVar, "v19 (2 x 3 double), and 10 more")
	}
}

func TestMatSparse(t *testing.T) {
	for _, o := range []binary.AppendByteOrder{matiotest.LE, matiotest.BE} {
		mark := "<"
		if o == matiotest.BE {
			mark = ">"
		}
		ir, jc := []uint32{1, 0, 1, 0, 1}, []uint32{0, 1, 3, 5}
		v := []float64{3, 1, 100, 2, 5}
		for _, e := range [][]byte{
			matiotest.MatSparseElement(o, [2]uint32{5, 5}, ir, jc, matiotest.MatPart(o, false, 9, matiotest.BytesOf(v, mark+"f8"))),
			matiotest.MatSparseElement(o, [2]uint32{5, 5}, ir, jc, matiotest.MatPart(o, false, 2, matiotest.BytesOf(v, mark+"u1"))),
			// Room for more than there is.
			matiotest.MatSparseElement(o, [2]uint32{5, 7}, append(ir[:5:5], 9, 9), jc, matiotest.MatPart(o, false, 9, matiotest.BytesOf(append(v[:5:5], 7, 7), mark+"f8"))),
		} {
			matiotest.WantSparse(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, e)), "", matiotest.Counts)
			matiotest.WantSparse(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, matiotest.Deflated(o, e))), "", matiotest.Counts)
		}
		ones := matiotest.MatPart(o, true, 2, []byte{1, 1})
		for _, class := range []uint32{5 | 0x200, 9 | 0x200} { // the latter as Octave writes it
			e := matiotest.MatSparseElement(o, [2]uint32{class, 2}, []uint32{0, 1}, []uint32{0, 1, 1, 2}, ones)
			matiotest.WantSparse(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, e)), "", matiotest.New(2, 3, []float64{1, 0, 0, 0, 0, 1}))
		}
		none := matiotest.MatSparseElement(o, [2]uint32{5, 1}, []uint32{0}, []uint32{0, 0, 0, 0}, matiotest.MatPart(o, false, 9, nil))
		matiotest.WantSparse(t, matiotest.Write(t, "a.mat", matiotest.MatFile5(o, none)), "", matiotest.New(2, 3, make([]float64, 6)))
	}
}

func TestMatErrors(t *testing.T) {
	x := matiotest.MatDense(matiotest.LE, "x", matiotest.Quarters)
	good := matiotest.MatFile5(matiotest.LE, x)
	packed := matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, x))
	head := string(good[:128])
	flags, dims := [2]uint32{6, 0}, []uint32{2, 3}
	data := matiotest.MatPart(matiotest.LE, false, 9, make([]byte, 48))
	flip := bytes.Clone(packed)
	flip[len(flip)-1] ^= 1 // the checksum
	body := x[8:]
	cut := func(n int) []byte {
		return matiotest.MatFile5(matiotest.LE, matiotest.MatPart(matiotest.LE, false, 14, body[:n]))
	}
	for _, c := range []struct {
		content  []byte
		sentinel error
		text     string
	}{
		{[]byte(head[:124] + "\x00\x02IM"), matio.ErrUnsupported, "save it with -v7"},
		{[]byte("\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00X\x00"), matio.ErrUnsupported, "version 4"},
		{[]byte("# Created by Octave 7.3.0"), matio.ErrUnsupported, "Octave"},
		{[]byte(strings.Repeat("x", 200)), matio.ErrFormat, "byte 126"},
		{good[:100], matio.ErrFormat, "128-byte header"},
		{good[:132], matio.ErrFormat, "tag of an element"},
		{good[:len(good)-1], matio.ErrFormat, "are left"},
		{packed[:len(packed)-5], matio.ErrFormat, "are left"},
		{flip, matio.ErrFormat, "checksum"},
		{cut(4), matio.ErrFormat, "too early"},
		{cut(12), matio.ErrFormat, "claims 8 bytes"},
		{cut(24), matio.ErrFormat, "claims 8 bytes"},
		{cut(32), matio.ErrFormat, "too early"},
		{cut(40), matio.ErrFormat, "too early"},
		{cut(64), matio.ErrFormat, "claims 48 bytes"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{2, 1 << 31}, data)), matio.ErrFormat, "dimension -2147483648"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{2}, data)), matio.ErrFormat, "1 dimensions"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, make([]uint32, 65), data)), matio.ErrFormat, "260 bytes"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, strings.Repeat("x", 5000), flags, dims, data)), matio.ErrFormat, "5000 bytes"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{2, 4}, data)), matio.ErrFormat, "48 bytes of data"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{1 << 15, 1 << 15}, data)), matio.ErrFormat, "48 bytes of data"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{1, 2}, matiotest.MatPart(matiotest.LE, true, 16, make([]byte, 2)))), matio.ErrFormat, "is not numeric"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{1, 2}, matiotest.MatPart(matiotest.LE, true, 9, make([]byte, 9)))), matio.ErrFormat, "not a whole number of float64"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, "x", flags, []uint32{1, 2}, matiotest.Uint32s(matiotest.LE, 7<<16|2, 0))), matio.ErrFormat, "hold 7 bytes of data"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatPart(matiotest.LE, false, 14, matiotest.MatPart(matiotest.LE, false, 6, matiotest.Uint32s(matiotest.LE, 6)))), matio.ErrFormat, "flags"},
		{matiotest.MatFile5(matiotest.LE, matiotest.MatPart(matiotest.LE, false, 14, matiotest.MatPart(matiotest.LE, false, 5, matiotest.Uint32s(matiotest.LE, 6, 0)))), matio.ErrFormat, "flags"},
		{matiotest.MatFile5(matiotest.LE, matiotest.Uint32s(matiotest.LE, 15, 4), []byte("none")), matio.ErrFormat, "zlib"},
		{matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, matiotest.MatPart(matiotest.LE, false, 9, nil))), matio.ErrFormat, "type 9"},
		{matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, matiotest.Uint32s(matiotest.LE, 14, 1<<31))), matio.ErrFormat, "in the file can hold"},
		{matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, append(matiotest.Uint32s(matiotest.LE, 14, 1<<13), body...))), matio.ErrFormat, "behind its last part"},
	} {
		matiotest.WantError(t, matiotest.Write(t, "bad.mat", c.content), matio.Options{}, c.sentinel, c.text)
	}
}

func TestMatSparseErrors(t *testing.T) {
	two := matiotest.MatPart(matiotest.LE, false, 9, make([]byte, 16))
	for _, c := range []struct {
		ir, jc []uint32
		values []byte
		text   string
	}{
		{[]uint32{0, 2}, []uint32{0, 1, 1, 2}, two, "indices[1]"},
		{[]uint32{0, 1 << 31}, []uint32{0, 1, 1, 2}, two, "indices[1]"},
		{[]uint32{0, 1}, []uint32{0, 1, 2}, two, "3 column pointers"},
		{[]uint32{0, 1}, []uint32{1, 1, 1, 2}, two, "indptr[0] = 1"},
		{[]uint32{0, 1}, []uint32{0, 2, 1, 2}, two, "indptr[2] = 1 is less"},
		{[]uint32{0, 1}, []uint32{0, 1, 1, 3}, two, "indptr[3] = 3"},
		{[]uint32{0, 1}, []uint32{0, 1, 1 << 31, 2}, two, "indptr[2] = -2147483648"},
		{[]uint32{0, 1}, []uint32{0, 1, 1, 2}, matiotest.MatPart(matiotest.LE, false, 9, make([]byte, 8)), "pr: byte"},
		{[]uint32{0, 1}, []uint32{0, 1, 1, 2}, nil, "too early"},
	} {
		e := matiotest.MatSparseElement(matiotest.LE, [2]uint32{5, 2}, c.ir, c.jc, c.values)
		matiotest.WantError(t, matiotest.Write(t, "bad.mat", matiotest.MatFile5(matiotest.LE, e)), matio.Options{}, matio.ErrFormat, c.text)
		matiotest.WantError(t, matiotest.Write(t, "bad.mat", matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, e))), matio.Options{}, matio.ErrFormat, c.text)
	}
	floats := matiotest.MatArrayElement(matiotest.LE, "S", [2]uint32{5, 2}, []uint32{2, 3}, matiotest.MatPart(matiotest.LE, false, 7, make([]byte, 8)))
	matiotest.WantError(t, matiotest.Write(t, "bad.mat", matiotest.MatFile5(matiotest.LE, floats)), matio.Options{}, matio.ErrFormat, "float32")
}

// Long names that deflate to next to nothing take no memory: kept, these
// would take 80 MB. What the collector leaves for a while is far less.
func TestMatNames(t *testing.T) {
	const n = 20000
	one := matiotest.Deflated(matiotest.LE, matiotest.MatArrayElement(matiotest.LE, strings.Repeat("x", 4096), [2]uint32{6, 0}, []uint32{1, 1}, matiotest.Uint32s(matiotest.LE, 9, 0)))
	path := matiotest.Write(t, "a.mat", matiotest.MatFile5(matiotest.LE, bytes.Repeat(one, n)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := matiotest.ReadAll(path, matio.Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	matiotest.CheckError(t, err, matio.ErrVar, "and 19980 more")
	if peak := int64(after.HeapSys) - int64(before.HeapSys); peak > 40<<20 || len(err.Error()) > input.MostListed*4200 {
		t.Errorf("%d bytes of heap, a message of %d bytes", peak, len(err.Error()))
	}
}
