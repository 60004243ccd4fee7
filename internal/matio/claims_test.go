package matio_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"runtime"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Files of some 200 bytes that claim 10^15 elements, or all that their format can
// say, are errors and cost next to nothing.
func TestClaims(t *testing.T) {
	const million, billion = 1_000_000, 1_000_000_000
	shape := "(1000000, 1000000000)"
	npy := matiotest.NpyFile(1, "<f8", false, shape, make([]byte, 72))
	ascii := func(s string) []byte { return append([]byte(s), bytes.Repeat([]byte("1 "), 60)...) }
	var packed bytes.Buffer
	w := must.Get(flate.NewWriter(&packed, 9))(t)
	w.Write(npy)
	w.Close()
	claimed := matiotest.ZipFile(t, true, matiotest.Claim("a.npy", packed.Bytes(), 8*million*billion+uint64(len(npy)-72)))
	dense := matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{6, 0}, []uint32{million, billion}, matiotest.Uint32s(matiotest.LE, 9, 0xfffffff8), make([]byte, 16))
	sparse := matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{5, 0}, []uint32{million, billion}, matiotest.Uint32s(matiotest.LE, 5, 0xfffffffc), make([]byte, 16))
	name := matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{6, 0}, []uint32{million, billion})
	copy(name[len(name)-8:], matiotest.Uint32s(matiotest.LE, 1, 0xfffffff0))
	png := append([]byte(matiotest.PNGMagic), "\x00\x00\x00\x0dIHDR\x00\x0f\x42\x40\x3b\x9a\xca\x00\x08\x00\x00\x00\x00"...)
	png = matiotest.BE.AppendUint32(png, crc32.ChecksumIEEE(png[12:]))
	png = append(png, "\x00\x00\x00\x10IDAT\x78\x9c"...)
	for _, c := range []struct {
		name    string
		content []byte
	}{
		{"a.npy", npy},
		{"b.npy", matiotest.NpyFile(2, "|u1", true, shape, make([]byte, 72))},
		{"c.npy", matiotest.NpyDict(3, "{'descr'", nil)},
		{"d.npy", matiotest.LE.AppendUint32([]byte("\x93NUMPY\x03\x00"), 0xffffffff)},
		{"a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", npy))},
		{"b.npz", matiotest.ZipFile(t, false, matiotest.NewMember("a.npy", npy))},
		{"c.npz", claimed},
		{"a.mat", matiotest.MatFile5(matiotest.LE, dense)},
		{"b.mat", matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, dense))},
		{"c.mat", matiotest.MatFile5(matiotest.LE, sparse)},
		{"d.mat", matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, sparse))},
		{"e.mat", matiotest.MatFile5(matiotest.LE, name)},
		{"f.mat", matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, name))},
		{"g.mat", matiotest.MatFile5(matiotest.LE, matiotest.Uint32s(matiotest.LE, 14, 0xfffffff8))},
		{"h.mat", matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, matiotest.Uint32s(matiotest.LE, 14, 0xfffffff8, 6, 0xfffffff8)))},
		{"a.mtx", ascii("%%MatrixMarket matrix array real general\n1000000 1000000000\n")},
		{"b.mtx", []byte("%%MatrixMarket matrix coordinate real general\n1000000 1000000000 1000000000000000\n1 1 1\n")},
		{"c.mtx", []byte("%%MatrixMarket matrix coordinate real general\n1000000000 1000000 1\n1 1 1\n")},
		{"d.mtx.gz", matiotest.Gz([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n1000000000 1000000000 1000000000000000\n1 1\n"))},
		{"a.pgm", ascii("P5 1000000000 1000000 255\n")},
		{"b.pgm", ascii("P2 1000000000 1000000 255\n")},
		{"a.png", png},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.AtMost(t, len(c.content), 400, "the file")
			path := matiotest.Write(t, c.name, c.content)
			if c.name[2:] == "pgm" || c.name[2:] == "png" {
				path = matiotest.FolderOf(t, map[string][]byte{c.name: c.content})
			}
			for _, transpose := range []bool{false, true} {
				var err error
				n := allocated(func() { err = matiotest.ReadAll(path, matio.Options{Transpose: transpose}) })
				if err == nil {
					t.Error("no error")
				}
				// A decompressor, a buffer of text, and messages.
				if n > 1<<18 {
					t.Errorf("%d bytes allocated for %v", n, err)
				}
			}
		})
	}
}

// Files that hold more than their headers claim are errors, unless their format lets something follow.
func TestSurplus(t *testing.T) {
	le := matiotest.LE
	more := make([]byte, 16)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	deflate := func(b []byte) []byte {
		var packed bytes.Buffer
		w := must.Get(flate.NewWriter(&packed, 9))(t)
		w.Write(b)
		w.Close()
		return packed.Bytes()
	}
	npy := matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))
	x := matiotest.MatDense(le, "x", matiotest.Quarters)
	packed := matiotest.Deflated(le, x)
	longer := func(element []byte, by int) []byte { // which claims that many bytes more
		return join(element[:4], matiotest.Uint32s(le, binary.LittleEndian.Uint32(element[4:])+uint32(by)), element[8:])
	}
	sparse := matiotest.MatSparseElement(le, [2]uint32{5, 1}, []uint32{1}, []uint32{0, 1, 1, 1}, matiotest.MatPart(le, false, 9, matiotest.BytesOf([]float64{3}, "<f8")))
	csv := []byte("0,.25,.5\n.75,1,1.25\n")
	mtx := []byte("%%MatrixMarket matrix array real general\n2 3\n0\n.75\n.25\n1\n.5\n1.25\n")
	gz := matiotest.Gz
	for _, c := range []struct {
		name, file string
		content    []byte
		says       string // of the error; "" if Quarters is read
	}{
		{"array", "a.npy", join(npy, more), "but 64 bytes follow it"},
		{"member with a longer array", "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", join(npy, more))), "but 64 bytes follow it"},
		{"member that is longer than the archive claims", "a.npz", matiotest.ZipFile(t, true, matiotest.Claim("a.npy", deflate(join(npy, more)), uint64(len(npy)))), "not a valid zip file"},
		{"bytes behind the deflated member", "a.npz", matiotest.ZipFile(t, true, matiotest.Claim("a.npy", join(deflate(npy), more), uint64(len(npy)))), "more compressed bytes than"},
		{"bytes in front of an archive", "a.npz", join([]byte("PK\x03\x04"), more, matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", npy))), ""},
		{"bytes behind the data of an array", "a.mat", matiotest.MatFile5(le, longer(join(x, more), 16)), "claims 16 bytes behind its last part"},
		{"the same, compressed", "a.mat", matiotest.MatFile5(le, matiotest.Deflated(le, longer(join(x, more), 16))), "claims 16 bytes behind its last part"},
		{"the same, sparse", "a.mat", matiotest.MatFile5(le, longer(join(sparse, more), 16)), "claims 16 bytes behind its last part"},
		{"bytes behind a compressed array", "a.mat", matiotest.MatFile5(le, matiotest.Deflated(le, join(x, more))), "holds more than"},
		{"bytes behind the compressed data", "a.mat", matiotest.MatFile5(le, longer(join(packed, more), 16)), "its compressed data end before"},
		{"padding of the compressed data", "a.mat", matiotest.MatFile5(le, longer(join(packed, more[:7]), 7)), ""},
		{"a second array", "a.mat", matiotest.MatFile5(le, x, matiotest.MatPart(le, false, 2, more)), ""},
		{"bytes behind the arrays", "a.mat", join(matiotest.MatFile5(le, x), more[:4]), "ends within the tag"},
		{"members of gzip", "a.csv.gz", join(gz(csv[:5]), gz(csv[5:])), ""},
		{"text behind the member", "a.csv.gz", join(gz(csv), csv), "gzip"},
		{"zeros behind the member", "a.csv.gz", join(gz(csv), more), "gzip"},
		{"a number too many", "a.mtx", join(mtx, []byte("7\n")), "more than"},
		{"the same, compressed", "a.mtx.gz", join(gz(mtx), gz([]byte("7\n"))), "more than"},
		{"text behind the member", "a.mtx.gz", join(gz(mtx), more), "gzip"},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			path := matiotest.Write(t, c.file, c.content)
			if c.says == "" {
				matiotest.WantDense(t, path, "", matiotest.Quarters)
				return
			}
			matiotest.WantError(t, path, matio.Options{}, matio.ErrFormat, c.says)
		})
	}
}

// Deflated data that claim far more than there is, but no more than deflate could
// give, are inflated once before memory for them is allocated.
func TestClaimWithinRatio(t *testing.T) {
	const n = 1 << 24
	noise := make([]byte, 1<<17)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	head := matiotest.NpyFile(1, "|u1", false, fmt.Sprintf("(1, %d)", n), nil)
	var packed bytes.Buffer
	w := must.Get(flate.NewWriter(&packed, 1))(t)
	w.Write(head)
	w.Write(noise)
	w.Close()
	npz := matiotest.ZipFile(t, true, matiotest.Claim("a.npy", packed.Bytes(), uint64(n+len(head))))

	content := matiotest.MatArrayElement(matiotest.LE, "X", [2]uint32{9, 0}, []uint32{1, n})
	content = append(content, matiotest.Uint32s(matiotest.LE, 2, n)...)
	copy(content[4:], matiotest.Uint32s(matiotest.LE, uint32(len(content)-8+n)))
	mat := matiotest.MatFile5(matiotest.LE, matiotest.Deflated(matiotest.LE, append(content, noise...)))
	for name, content := range map[string][]byte{"a.npz": npz, "a.mat": mat} {
		path := matiotest.Write(t, name, content)
		matiotest.WantError(t, path, matio.Options{}, matio.ErrFormat, "")
		if got := allocated(func() { matiotest.ReadAll(path, matio.Options{}) }); got > 1<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d", name, got, len(content))
		}
	}
	// The same with the data there.
	whole := make([]byte, n)
	copy(whole, noise)
	f := matiotest.Open(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", append(head, whole...)))), matio.Options{})
	_, _, data := must.Three(matio.Dense[float32](f))(t)
	for i, v := range data {
		if v != float32(whole[i]) {
			t.Fatalf("element %d is %v, want %v", i, v, whole[i])
		}
	}
}
