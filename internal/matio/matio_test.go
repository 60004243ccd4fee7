package matio_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/market"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

func TestOpenByContent(t *testing.T) {
	npy := matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))
	mtx := []byte("%%MatrixMarket matrix array real general\n2 3\n0\n.75\n.25\n1\n.5\n1.25\n")
	matiotest.WantDense(t, matiotest.Write(t, "lies.mat", npy), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "lies.npz", npy), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "none", npy), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "lies.npy", matiotest.ZipFile(t, true, matiotest.NewMember("X.npy", npy))), "X", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "lies.csv", matiotest.MatFile5(matiotest.LE, matiotest.MatDense(matiotest.LE, "X", matiotest.Quarters))), "X", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "lies.csv", mtx), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "a.mtx.gz", matiotest.Gz(mtx)), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "a.csv.gz", matiotest.Gz([]byte("0,.25,.5\n.75,1,1.25\n"))), "", matiotest.Quarters)
	matiotest.WantDense(t, matiotest.Write(t, "a.tsv.gz", matiotest.Gz([]byte("0\t.25\t.5\n.75\t1\t1.25\n"))), "", matiotest.Quarters)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	must.Refuse(matio.Open(filepath.Join(dir, "missing.npy"), matio.Options{}))(t, fs.ErrNotExist, "", "missing file")
	npy := matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))
	matiotest.WantError(t, matiotest.Write(t, "a.dat", []byte("1 2 3\n")), matio.Options{}, matio.ErrUnsupported, ".npy")
	matiotest.WantError(t, matiotest.Write(t, "a.gz", matiotest.Gz(npy)), matio.Options{}, matio.ErrUnsupported, "a.gz is compressed by gzip, and no .mtx, .gct, .csv, .tsv, .txt; unpack it")
	matiotest.WantError(t, matiotest.Write(t, "a.csv.gz", []byte("\x1f\x8b\x08")), matio.Options{}, matio.ErrFormat, "too early")
	matiotest.WantError(t, matiotest.Write(t, "a.mtx.gz", matiotest.Gz([]byte(market.Banner + " matrix coordinate real general\n3 3 1\n1 1 1\n"))[:40]), matio.Options{}, matio.ErrFormat, "")
	matiotest.WantError(t, matiotest.Write(t, "a.npy", nil), matio.Options{}, matio.ErrFormat, "not begin like a .npy file")
	matiotest.WantError(t, matiotest.Write(t, "a.npz", []byte("PK")), matio.Options{}, matio.ErrFormat, "not begin like a .npz file")
	matiotest.WantError(t, matiotest.Write(t, "a.pgm", []byte("P5 1 1 255\n0")), matio.Options{}, matio.ErrUnsupported, "folder")
	matiotest.WantError(t, matiotest.Write(t, "a.npy", npy), matio.Options{Var: "X"}, matio.ErrVar, `"X"`)
	matiotest.WantError(t, matiotest.Write(t, "a.csv", []byte("1\n")), matio.Options{Var: "X"}, matio.ErrVar, `"X"`)
	matiotest.WantError(t, matiotest.Write(t, "a.mtx", []byte(market.Banner)), matio.Options{Var: "X"}, matio.ErrVar, `"X"`)
	matiotest.WantError(t, filepath.Dir(matiotest.Write(t, "a.pgm", []byte("P5 1 1 255\n0"))), matio.Options{Var: "X"}, matio.ErrVar, `"X"`)
}

// What people have, and Open does not read, is named with what to do, by its first bytes,
// else by its name. A table that begins with the same letters is a table.
func TestForeign(t *testing.T) {
	zipOf := func(name string) []byte { return matiotest.ZipFile(t, true, matiotest.NewMember(name, nil)) }
	for _, c := range []struct {
		name    string
		content []byte
		says    string
	}{
		{"faces.xlsx", zipOf("xl/workbook.xml"), "faces.xlsx is an Excel workbook; save it as CSV"},
		{"faces.csv", zipOf("xl/workbook.xml"), "faces.csv is an Excel workbook; save it as CSV"},
		{"a.ods", zipOf("content.xml"), "a.ods is an OpenDocument spreadsheet or text; save it as CSV"},
		{"a.zip", zipOf("faces/1.pgm"), "a.zip is a zip file without .npy members; unpack it"},
		{"a.xls", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Excel workbook; save it as CSV"},
		{"a.feather", []byte("ARROW1\x00\x00\xff"), "a Feather (Arrow) file; in Python"},
		{"a.rds", matiotest.Gz([]byte("X\n\x00\x00\x00\x03")), "a file of R (RDS); in R, save the matrix as CSV"},
		{"a.RData", matiotest.Gz([]byte("RDX3\nX\n")), "a file of R (RData); in R, save"},
		{"a.tar.gz", matiotest.Gz(append(make([]byte, 257), "ustar"...)), "a tar archive; unpack it"},
		{"a.npy.gz", matiotest.Gz([]byte("\x93NUMPY")), "compressed by gzip, and no .mtx, .gct, .csv"},
		{"a.jpg", []byte("\xff\xd8\xff\xe0"), "one image; give the folder"},
		{"a.biom", []byte(`{"id":null}`), "by its name a BIOM table of version 1 (JSON); convert it: biom convert"},
		{"a.biom.gz", matiotest.Gz([]byte(`{"id":null}`)), "by its name a BIOM table of version 1 (JSON); convert it: biom convert"},
		{"a.h5", nil, "by its name an HDF5 file"},
	} {
		matiotest.WantError(t, matiotest.Write(t, c.name, c.content), matio.Options{}, matio.ErrUnsupported, c.says)
	}
	want := matiotest.New(1, 2, []float64{1, 2})
	for _, text := range []string{"PAR1,FEA1\n1,2\n", "$FLX,X\n1,2\n", "RDX3,X\n1,2\n"} {
		matiotest.WantDense(t, matiotest.Write(t, "a.csv", []byte(text)), "", want)
	}
}

func TestClosed(t *testing.T) {
	f := matiotest.Open(t, matiotest.Write(t, "a.npy", matiotest.NpyFile(1, "<f8", false, "(2, 3)", matiotest.BytesOf(matiotest.Quarters.Data, "<f8"))), matio.Options{})
	for range 2 {
		must.Equal(t, f.Close(), nil, "Close")
	}
	if _, _, _, err := matio.Dense[float64](f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Dense of a closed file: %v", err)
	}
	if _, _, _, _, _, err := matio.Sparse[float64](f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Sparse of a closed file: %v", err)
	}
}

// Neither is a device read, which may have no end, nor replaced by a file.
func TestDevice(t *testing.T) {
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Skipf("%s is no device here: %v", os.DevNull, err)
	}
	matiotest.WantError(t, os.DevNull, matio.Options{}, matio.ErrUnsupported, "regular file")
	if err := matio.WriteFile(os.DevNull, func(io.Writer) error { return nil }); err == nil {
		t.Error("a device was replaced")
	}
}
