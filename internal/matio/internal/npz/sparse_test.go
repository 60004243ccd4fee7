package npz_test

import (
	"slices"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// array is a member of integers or floats.
func array(name, descr, shape string, fortran bool, x ...float64) matiotest.Member {
	return matiotest.NewMember(name+".npy", matiotest.NpyFile(1, descr, fortran, shape, matiotest.BytesOf(x, descr)))
}

// The arrays are those that pydata/sparse 0.13 keeps of the matrix, as its save_npz writes them:
// COO.from_numpy(M), GCXS.from_numpy(M) with compressed_axes (0,) and (1,).
var (
	sparseMatrix = matiotest.New(3, 4, []float64{0, 5, 0, 1, 0, 0, 0, 0, 2, 0, 3, 4})
	data         = array("data", "<f8", "(5,)", false, 5, 1, 2, 3, 4)
	shape        = array("shape", "<i8", "(2,)", false, 3, 4)
	zero         = array("fill_value", "<f8", "()", false, 0)
	coords       = array("coords", "<i8", "(2, 5)", false, 0, 0, 2, 2, 2, 1, 3, 0, 2, 3)
	interleaved  = array("coords", "<i2", "(2, 5)", true, 0, 1, 0, 3, 2, 0, 2, 2, 2, 3)
	byRow        = []matiotest.Member{data, array("indices", "<i4", "(5,)", false, 1, 3, 0, 2, 3), array("indptr", "<i8", "(4,)", false, 0, 2, 2, 5)}
	byColumn     = []matiotest.Member{
		array("data", "<f8", "(5,)", false, 2, 5, 3, 1, 4), array("indices", "<i4", "(5,)", false, 2, 0, 2, 0, 2),
		array("indptr", "<i8", "(5,)", false, 0, 1, 2, 3, 5),
	}
)

// TestSparseOfPydata: the sparse arrays of pydata/sparse are read in every form.
func TestSparseOfPydata(t *testing.T) {
	axis := func(x float64) matiotest.Member { return array("compressed_axes", "<i8", "(1,)", false, x) }
	for name, members := range map[string][]matiotest.Member{
		"COO":              {data, shape, zero, coords},
		"COO, Fortran":     {data, shape, zero, interleaved},
		"GCXS, rows":       append(slices.Clone(byRow), shape, zero, axis(0)),
		"GCXS, columns":    append(slices.Clone(byColumn), shape, zero, axis(1)),
		"arrays, rows":     append(slices.Clone(byRow), shape),
		"arrays, columns":  append(slices.Clone(byColumn), shape),
		"SciPy, of coords": {data, shape, coords, matiotest.NewMember("format.npy", matiotest.NpyFile(1, "|S3", false, "()", []byte("coo")))},
	} {
		for _, deflate := range []bool{false, true} {
			path := matiotest.Write(t, "a.npz", matiotest.ZipFile(t, deflate, members...))
			t.Log(name)
			matiotest.WantSparse(t, path, "", sparseMatrix)
		}
	}
	f := matiotest.Open(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, data, shape, zero, coords)), matio.Options{Var: "data"})
	if want := "data is one of the arrays of a sparse matrix"; !slices.Contains(f.Notes(), want) {
		t.Errorf("notes %q, want %q", f.Notes(), want)
	}
	// More entries than are read at once.
	const n = 20_000
	var where, ones []float64
	want := matiotest.New(2, n, nil)
	want.Data = make([]float64, 2*n)
	for j := range n {
		where, ones = append(where, float64(j%2), float64(j)), append(ones, 1)
		want.Data[j%2*n+j] = 1
	}
	matiotest.WantSparse(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true,
		array("data", "<f4", "(20000,)", false, ones...), array("shape", "<i8", "(2,)", false, 2, n), array("coords", "<i4", "(2, 20000)", true, where...))), "", want)
}

// TestSparseNotRead: a sparse array that is no matrix, or whose form is not known, says what it
// is and what to do.
func TestSparseNotRead(t *testing.T) {
	square := array("shape", "<i8", "(2,)", false, 4, 4)
	for name, c := range map[string]struct {
		members  []matiotest.Member
		sentinel error
		says     string
	}{
		"fill value":   {[]matiotest.Member{data, shape, coords, array("fill_value", "<f8", "()", false, 1)}, matio.ErrUnsupported, "save x.todense()"},
		"3 dimensions": {[]matiotest.Member{data, array("shape", "<i8", "(3,)", false, 3, 2, 2), zero, array("coords", "<i8", "(3, 5)", false, make([]float64, 15)...)}, matio.ErrUnsupported, "a sparse array of 3 dimensions"},
		"two axes":     {append(slices.Clone(byRow), shape, zero, array("compressed_axes", "<i8", "(2,)", false, 0, 1)), matio.ErrUnsupported, "x.to_scipy_sparse()"},
		"square":       {append(slices.Clone(byColumn), square), matio.ErrUnsupported, "may be csr or csc"},
		"coords":       {[]matiotest.Member{data, shape, array("coords", "<i8", "(3, 5)", false, make([]float64, 15)...)}, matio.ErrFormat, "want 2 x entries"},
		"short coords": {[]matiotest.Member{data, shape, array("coords", "<i8", "(2, 4)", false, make([]float64, 8)...)}, matio.ErrFormat, "have 4, 4 and 5 elements"},
		"outside":      {[]matiotest.Member{data, shape, array("coords", "<i8", "(2, 5)", false, 0, 0, 2, 2, 3, 1, 3, 0, 2, 3)}, matio.ErrFormat, "row[4] = 3 is outside 0 to 2"},
		"float shape":  {[]matiotest.Member{data, array("shape", "<f8", "(2,)", false, 3, 4), coords}, matio.ErrFormat, "want a few integers"},
		"no data":      {[]matiotest.Member{byRow[1], byRow[2], shape}, matio.ErrVar, "several"},
	} {
		t.Log(name)
		matiotest.WantError(t, matiotest.Write(t, "a.npz", matiotest.ZipFile(t, true, c.members...)), matio.Options{}, c.sentinel, c.says)
	}
}
