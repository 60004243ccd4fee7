package npz_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

func TestNpz(t *testing.T) {
	a := matiotest.NpyFile(1, "<f4", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f4"))
	b := matiotest.NpyFile(2, ">i4", true, "(2, 3)", matiotest.BytesOf(matiotest.Counts.Transpose().Data, ">i4"))
	complex := matiotest.NpyFile(1, "<c8", false, "(1, 1)", make([]byte, 8))
	cube := matiotest.NpyFile(1, "|u1", false, "(1, 1, 2)", []byte{0, 0})
	for _, deflate := range []bool{false, true} {
		two := matiotest.Write(t, "a.npz", matiotest.ZipFile(t, deflate, matiotest.NewMember("a.npy", a), matiotest.NewMember("b.npy", b)))
		matiotest.WantDense(t, two, "a", matiotest.Quarters)
		matiotest.WantDense(t, two, "b", matiotest.Counts)
		matiotest.WantError(t, two, matio.Options{}, matio.ErrVar, "a.npz holds several matrices; choose one: a (2 x 3 float32), b (2 x 3 int32)")
		matiotest.WantError(t, two, matio.Options{Var: "c"}, matio.ErrVar, `"c": the file has a, b`)
		// What is no matrix does not make it ambiguous.
		one := matiotest.Write(t, "a.npz", matiotest.ZipFile(t, deflate, matiotest.NewMember("complex.npy", complex), matiotest.NewMember("b.npy", b), matiotest.NewMember("cube.npy", cube), matiotest.NewMember("x.txt", nil)))
		matiotest.WantDense(t, one, "", matiotest.Counts)
		matiotest.WantError(t, one, matio.Options{Var: "complex"}, matio.ErrUnsupported, "complex numbers")
		matiotest.WantError(t, one, matio.Options{Var: "cube"}, matio.ErrUnsupported, "3 dimensions")
		none := matiotest.Write(t, "a.npz", matiotest.ZipFile(t, deflate, matiotest.NewMember("cube.npy", cube)))
		matiotest.WantError(t, none, matio.Options{}, matio.ErrUnsupported, "3 dimensions")
	}
}

func TestNpzErrors(t *testing.T) {
	a := matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))
	stored := matiotest.ZipFile(t, false, matiotest.NewMember("a.npy", a))
	flip := bytes.Clone(stored)
	flip[bytes.Index(flip, []byte("\x93NUMPY"))+len(a)-1] ^= 1
	matiotest.WantError(t, matiotest.Write(t, "a.npz", flip), matio.Options{}, matio.ErrFormat, "checksum")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", stored[:len(stored)-30]), matio.Options{}, matio.ErrFormat, "zip")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, false, matiotest.NewMember("a.txt", a))), matio.Options{}, matio.ErrUnsupported, "without .npy")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", a[:len(a)-1]))), matio.Options{}, matio.ErrFormat, "member a: ")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", append(bytes.Clone(a), 0)))), matio.Options{}, matio.ErrFormat, "49 bytes follow")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", a[:7]))), matio.Options{}, matio.ErrFormat, "too early")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.Claim("a.npy", []byte{3, 0}, 1<<62))), matio.Options{}, matio.ErrFormat, "compressed bytes can hold")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.Claim("a.npy", []byte{3, 0}, 2000))), matio.Options{}, matio.ErrFormat, "too early")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.Claim("a.npy", []byte{0xff, 0xff}, 2000))), matio.Options{}, matio.ErrFormat, "member a: ")
	big := matiotest.NpyFile(1, "|u1", false, "(4294967296, 4294967296)", nil)
	matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", big))), matio.Options{}, matio.ErrTooLarge, "counted")
}

// Nonsense anywhere in the directory of the zip file, such as offsets outside the
// file, is no error of the file system.
func TestNpzDirectory(t *testing.T) {
	good := matiotest.ZipFile(t, true, matiotest.NewMember("a.npy", matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))))
	dir := t.TempDir()
	for i := bytes.Index(good, []byte("PK\x01\x02")); i <= len(good)-4; i++ {
		bad := bytes.Clone(good)
		copy(bad[i:], "\xf0\xff\xff\xff")
		path := filepath.Join(dir, "a.npz")
		must.Do(t, os.WriteFile(path, bad, 0o666))
		err := matiotest.ReadAll(path, matio.Options{})
		if err != nil && !errors.Is(err, matio.ErrFormat) && !errors.Is(err, matio.ErrUnsupported) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

func TestSciPy(t *testing.T) {
	for _, format := range []string{"csr", "csc", "coo"} {
		for _, index := range []string{"<i4", "<i8", ">i4", "<u8"} {
			matiotest.WantSparse(t, matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, format, index, nil)), "", matiotest.Counts)
		}
	}
	// Characters of four bytes, and elements behind the last pointer.
	ucs := matiotest.NpyFile(1, "<U3", false, "()", []byte("c\x00\x00\x00s\x00\x00\x00r\x00\x00\x00"))
	matiotest.WantSparse(t, matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, "csr", "<i4", map[string][]byte{"format.npy": ucs})), "", matiotest.Counts)
	short := matiotest.NpyFile(1, "<i4", false, "(3,)", matiotest.BytesOf([]float64{0, 3, 6}, "<i4"))
	matiotest.WantSparse(t, matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, "csr", "<i4", map[string][]byte{"indptr.npy": short})), "",
		matiotest.New(2, 3, []float64{0, 1, 2, 3, 100, 0}))
	// A member can be asked for by its name.
	matiotest.WantDense(t, matiotest.Write(t, "a.npz", matiotest.ScipySparse(t, "csr", "<i4", nil)), "indptr", matiotest.New(3, 1, []float64{0, 3, 7}))
}

func TestSciPyErrors(t *testing.T) {
	ints := func(v ...float64) []byte { return matiotest.Vector("<i4", v...) }
	for _, c := range []struct {
		format, name string
		content      []byte
		sentinel     error
		text         string
	}{
		{"csr", "format.npy", matiotest.NpyFile(1, "|S3", false, "()", []byte("dia")), matio.ErrUnsupported, "tocsr"},
		{"csr", "format.npy", []byte("csr"), matio.ErrFormat, "member format"},
		{"csr", "format.npy", bytes.Repeat([]byte("csr"), 1000), matio.ErrFormat, "3000 bytes"},
		{"csr", "indptr.npy", nil, matio.ErrFormat, "has no member indptr"},
		{"csr", "indptr.npy", ints(0, 3), matio.ErrFormat, "2 elements: want 3"},
		{"csr", "indptr.npy", ints(1, 3, 7), matio.ErrFormat, "indptr[0] = 1"},
		{"csr", "indptr.npy", ints(0, 8, 7), matio.ErrFormat, "indptr[1] = 8"},
		{"csr", "indptr.npy", ints(0, 3, -1), matio.ErrFormat, "indptr[2] = -1"},
		{"csr", "indptr.npy", ints(0, 4, 3), matio.ErrFormat, "indptr[2] = 3 is less"},
		{"csr", "indices.npy", ints(2, 0, 1, 1, 0, 1, 3), matio.ErrFormat, "indices[6] = 3"},
		{"csr", "indices.npy", ints(2, 0, 1, 1, 0, 1, -1), matio.ErrFormat, "indices[6] = -1"},
		{"csr", "indices.npy", ints(2, 0, 1, 1, 0, 1), matio.ErrFormat, "6 and 7 elements"},
		{"csr", "indices.npy", matiotest.NpyFile(1, "|u1", false, "(1, 7)", make([]byte, 7)), matio.ErrFormat, "2 dimensions: want 1"},
		{"csr", "indices.npy", matiotest.NpyFile(1, "<f4", false, "(7,)", make([]byte, 28)), matio.ErrFormat, "float32 cannot be indices"},
		{"csr", "shape.npy", ints(2), matio.ErrFormat, "shape has 1 numbers"},
		{"csr", "shape.npy", ints(2, -3), matio.ErrFormat, "-3"},
		{"coo", "row.npy", ints(0, 0), matio.ErrFormat, "2, 7 and 7 elements"},
		{"coo", "row.npy", ints(1, 0, 1, 0, 1, 2, 0), matio.ErrFormat, "row[5] = 2"},
		{"coo", "data.npy", matiotest.NpyFile(1, "<c8", false, "(7,)", make([]byte, 56)), matio.ErrUnsupported, "complex"},
		{"coo", "shape.npy", ints(1<<30, 3), matio.ErrTooLarge, ""},
	} {
		content := matiotest.ScipySparse(t, c.format, "<i4", map[string][]byte{c.name: c.content})
		matiotest.WantError(t, matiotest.Write(t, "a.npz", content), matio.Options{}, c.sentinel, c.text)
	}
}
