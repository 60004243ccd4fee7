package matio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

type member struct {
	name    string
	content []byte
}

// zipFile packs members, deflated or stored.
func zipFile(t testing.TB, deflate bool, members ...member) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	method := zip.Store
	if deflate {
		method = zip.Deflate
	}
	for _, m := range members {
		e, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
		if err == nil {
			_, err = e.Write(m.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// claim packs a member of deflated data that claims to be of another size.
func claim(t testing.TB, name string, deflated []byte, size uint64) []byte {
	t.Helper()
	return rawZip(t, rawMember{name, deflated, size})
}

// rawMember is a member of deflated data and the size that it claims.
type rawMember struct {
	name     string
	deflated []byte
	size     uint64
}

// rawZip packs members as they are, without checksums.
func rawZip(t testing.TB, members ...rawMember) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range members {
		e, err := w.CreateRaw(&zip.FileHeader{Name: m.name, Method: zip.Deflate, CompressedSize64: uint64(len(m.deflated)), UncompressedSize64: m.size})
		if err == nil {
			_, err = e.Write(m.deflated)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestNpz(t *testing.T) {
	a := npyFile(1, "<f4", false, "(2, 3)", bytesOf(quarters.data, "<f4"))
	b := npyFile(2, ">i4", true, "(2, 3)", bytesOf(counts.transpose().data, ">i4"))
	half := npyFile(1, "<f2", false, "(1, 1)", []byte{0, 0})
	cube := npyFile(1, "|u1", false, "(1, 1, 2)", []byte{0, 0})
	for _, deflate := range []bool{false, true} {
		two := write(t, "a.npz", zipFile(t, deflate, member{"a.npy", a}, member{"b.npy", b}))
		wantDense(t, two, "a", quarters)
		wantDense(t, two, "b", counts)
		wantError(t, two, Options{}, ErrVar, "a (2 x 3 float32), b (2 x 3 int32)")
		wantError(t, two, Options{Var: "c"}, ErrVar, `"c": the file has a, b`)
		// What is no matrix does not make it ambiguous.
		one := write(t, "a.npz", zipFile(t, deflate, member{"half.npy", half}, member{"b.npy", b}, member{"cube.npy", cube}, member{"x.txt", nil}))
		wantDense(t, one, "", counts)
		wantError(t, one, Options{Var: "half"}, ErrUnsupported, "half precision")
		wantError(t, one, Options{Var: "cube"}, ErrUnsupported, "3 dimensions")
		none := write(t, "a.npz", zipFile(t, deflate, member{"cube.npy", cube}))
		wantError(t, none, Options{}, ErrUnsupported, "3 dimensions")
	}
}

func TestNpzErrors(t *testing.T) {
	a := npyFile(1, "<f8", false, "(2, 3)", bytesOf(quarters.data, "<f8"))
	stored := zipFile(t, false, member{"a.npy", a})
	flip := bytes.Clone(stored)
	flip[bytes.Index(flip, []byte("\x93NUMPY"))+len(a)-1] ^= 1
	wantError(t, write(t, "a.npz", flip), Options{}, ErrFormat, "checksum")
	wantError(t, write(t, "a.npz", stored[:len(stored)-30]), Options{}, ErrFormat, "zip")
	wantError(t, write(t, "a.npz", zipFile(t, false, member{"a.txt", a})), Options{}, ErrFormat, "without .npy")
	wantError(t, write(t, "a.npz", zipFile(t, true, member{"a.npy", a[:len(a)-1]})), Options{}, ErrFormat, "member a: ")
	wantError(t, write(t, "a.npz", zipFile(t, true, member{"a.npy", append(bytes.Clone(a), 0)})), Options{}, ErrFormat, "49 bytes follow")
	wantError(t, write(t, "a.npz", zipFile(t, true, member{"a.npy", a[:7]})), Options{}, ErrFormat, "too early")
	wantError(t, write(t, "a.npz", claim(t, "a.npy", []byte{3, 0}, 1<<62)), Options{}, ErrFormat, "cannot give")
	wantError(t, write(t, "a.npz", claim(t, "a.npy", []byte{3, 0}, 2000)), Options{}, ErrFormat, "too early")
	wantError(t, write(t, "a.npz", claim(t, "a.npy", []byte{0xff, 0xff}, 2000)), Options{}, ErrFormat, "member a: ")
	big := npyFile(1, "|u1", false, "(4294967296, 4294967296)", nil)
	wantError(t, write(t, "a.npz", zipFile(t, true, member{"a.npy", big})), Options{}, ErrTooLarge, "counted")
}

// Nonsense anywhere in the directory of the zip file, such as offsets outside the
// file, is no error of the file system.
func TestNpzDirectory(t *testing.T) {
	good := zipFile(t, true, member{"a.npy", npyFile(1, "<f8", false, "(2, 3)", bytesOf(quarters.data, "<f8"))})
	dir := t.TempDir()
	for i := bytes.Index(good, []byte("PK\x01\x02")); i <= len(good)-4; i++ {
		bad := bytes.Clone(good)
		copy(bad[i:], "\xf0\xff\xff\xff")
		path := filepath.Join(dir, "a.npz")
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		err := readAll(path, Options{})
		if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

// scipySparse is counts in the three forms, its entries out of order, one split in
// two, and with a zero.
func scipySparse(t testing.TB, format, index string, change map[string][]byte) []byte {
	t.Helper()
	array := func(descr string, v ...float64) []byte {
		return npyFile(1, descr, false, fmt.Sprintf("(%d,)", len(v)), bytesOf(v, descr))
	}
	m := []member{
		{"format.npy", npyFile(1, "|S3", false, "()", []byte(format))},
		{"shape.npy", array("<i8", 2, 3)},
	}
	switch format {
	case "csr":
		m = append(m, member{"indptr.npy", array(index, 0, 3, 7)}, member{"indices.npy", array(index, 2, 0, 1, 1, 0, 1, 2)},
			member{"data.npy", array("<f8", 2, 0, 1, 60, 3, 40, 5)})
	case "csc":
		m = append(m, member{"indptr.npy", array(index, 0, 2, 5, 7)}, member{"indices.npy", array(index, 1, 0, 1, 0, 1, 1, 0)},
			member{"data.npy", array("<f8", 3, 0, 60, 1, 40, 5, 2)})
	case "coo":
		m = append(m, member{"row.npy", array(index, 1, 0, 1, 0, 1, 1, 0)}, member{"col.npy", array(index, 0, 0, 1, 1, 1, 2, 2)},
			member{"data.npy", array("<f8", 3, 0, 60, 1, 40, 5, 2)})
	}
	kept := m[:0]
	for _, e := range m {
		if c, ok := change[e.name]; ok {
			e.content = c
		}
		if e.content != nil {
			kept = append(kept, e)
		}
	}
	return zipFile(t, true, kept...)
}

func TestSciPy(t *testing.T) {
	for _, format := range []string{"csr", "csc", "coo"} {
		for _, index := range []string{"<i4", "<i8", ">i4", "<u8"} {
			wantSparse(t, write(t, "a.npz", scipySparse(t, format, index, nil)), "", counts)
		}
	}
	// Characters of four bytes, and elements behind the last pointer.
	ucs := npyFile(1, "<U3", false, "()", []byte("c\x00\x00\x00s\x00\x00\x00r\x00\x00\x00"))
	wantSparse(t, write(t, "a.npz", scipySparse(t, "csr", "<i4", map[string][]byte{"format.npy": ucs})), "", counts)
	short := npyFile(1, "<i4", false, "(3,)", bytesOf([]float64{0, 3, 6}, "<i4"))
	wantSparse(t, write(t, "a.npz", scipySparse(t, "csr", "<i4", map[string][]byte{"indptr.npy": short})), "",
		matrix{2, 3, []float64{0, 1, 2, 3, 100, 0}})
	// A member can be asked for by its name.
	wantDense(t, write(t, "a.npz", scipySparse(t, "csr", "<i4", nil)), "indptr", matrix{3, 1, []float64{0, 3, 7}})
}

func TestSciPyErrors(t *testing.T) {
	ints := func(v ...float64) []byte {
		return npyFile(1, "<i4", false, fmt.Sprintf("(%d,)", len(v)), bytesOf(v, "<i4"))
	}
	for _, c := range []struct {
		format, name string
		content      []byte
		sentinel     error
		text         string
	}{
		{"csr", "format.npy", npyFile(1, "|S3", false, "()", []byte("dia")), ErrUnsupported, "tocsr"},
		{"csr", "format.npy", []byte("csr"), ErrFormat, "no .npy string"},
		{"csr", "format.npy", bytes.Repeat([]byte("csr"), 1000), ErrFormat, "3000 bytes"},
		{"csr", "indptr.npy", nil, ErrFormat, "without member indptr"},
		{"csr", "indptr.npy", ints(0, 3), ErrFormat, "2 elements for 2 lines"},
		{"csr", "indptr.npy", ints(1, 3, 7), ErrFormat, "indptr[0] = 1"},
		{"csr", "indptr.npy", ints(0, 8, 7), ErrFormat, "indptr[1] = 8"},
		{"csr", "indptr.npy", ints(0, 3, -1), ErrFormat, "indptr[2] = -1"},
		{"csr", "indptr.npy", ints(0, 4, 3), ErrFormat, "indptr[2] = 3 is less"},
		{"csr", "indices.npy", ints(2, 0, 1, 1, 0, 1, 3), ErrFormat, "indices[6] = 3"},
		{"csr", "indices.npy", ints(2, 0, 1, 1, 0, 1, -1), ErrFormat, "indices[6] = -1"},
		{"csr", "indices.npy", ints(2, 0, 1, 1, 0, 1), ErrFormat, "6 and 7 elements"},
		{"csr", "indices.npy", npyFile(1, "|u1", false, "(1, 7)", make([]byte, 7)), ErrFormat, "one dimension"},
		{"csr", "indices.npy", npyFile(1, "<f4", false, "(7,)", make([]byte, 28)), ErrFormat, "no indices"},
		{"csr", "shape.npy", ints(2), ErrFormat, "1 sizes"},
		{"csr", "shape.npy", ints(2, -3), ErrFormat, "-3"},
		{"coo", "row.npy", ints(0, 0), ErrFormat, "2, 7 and 7 elements"},
		{"coo", "row.npy", ints(1, 0, 1, 0, 1, 2, 0), ErrFormat, "row[5] = 2"},
		{"coo", "data.npy", npyFile(1, "<c8", false, "(7,)", make([]byte, 56)), ErrUnsupported, "complex"},
		{"coo", "shape.npy", ints(1<<30, 3), ErrTooLarge, ""},
	} {
		content := scipySparse(t, c.format, "<i4", map[string][]byte{c.name: c.content})
		wantError(t, write(t, "a.npz", content), Options{}, c.sentinel, c.text)
	}
}
